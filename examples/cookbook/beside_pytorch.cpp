// Inference beside PyTorch: loads the weights of a PyTorch model and compares what both compute from one input.
//
//   cookbook_beside_pytorch FILE
//
// PyTorch writes FILE, with the module names that the model below uses:
//
//   safetensors.torch.save_file({**{f"net.{k}": v for k, v in net.state_dict().items()}, "input": x, "output": net(x)},
//   FILE)

#include <minima/io/tensors/safetensors.h>
#include <minima/minima.h>

#include <cstdio>

using namespace minima;

namespace {

/// x + conv(relu(norm(conv(x))))
struct Residual : nn::Module {
  nn::Conv2d conv1 = child("conv1", nn::Conv2d({.in = 8, .out = 8, .kernel = 3, .padding = 1, .bias = false}));
  nn::BatchNorm2d norm = child("norm", nn::BatchNorm2d({.features = 8}));
  nn::Conv2d conv2 = child("conv2", nn::Conv2d({.in = 8, .out = 8, .kernel = 3, .padding = 1}));
  Tensor forward(const Tensor& x) override { return x + conv2(relu(norm(conv1(x)))); }
};

struct Classifier : nn::Module {
  nn::Conv2d stem = child("stem", nn::Conv2d({.in = 3, .out = 8, .kernel = 5, .stride = 2, .padding = 2}));
  nn::Sequential blocks = child("blocks", nn::Sequential(Residual(), Residual()));
  nn::LayerNorm norm = child("norm", nn::LayerNorm({.shape = {8}}));
  nn::Linear head = child("head", nn::Linear({.in = 8, .out = 5}));
  /// x [N, 3, H, W] → class probabilities [N, 5]
  Tensor forward(const Tensor& x) override { return softmax(head(norm(mean(gelu(blocks(stem(x))), {2, 3}))), 1); }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: cookbook_beside_pytorch FILE.safetensors\n");
    return 2;
  }
  const Device device = default_device();
  const State file = read_safetensors(argv[1]);  // maps the file; nothing is read before it is used
  Classifier net;
  net.load_state_dict(file.sub("net"));  // throws and lists every name or shape that does not fit
  net.to(device);
  net.eval();

  const Inference inference;
  const Tensor input = file.tensor("input"), wanted = file.tensor("output");
  const Tensor got = net(input.to(device)).to(Device::cpu());
  for (std::int64_t row = 0; row < got.size(0); ++row) {
    std::printf("image %lld:", static_cast<long long>(row));
    for (std::int64_t i = 0; i < got.size(1); ++i)
      std::printf("  %.4f (%.4f)", got[row][i].item<double>(), wanted[row][i].item<double>());
    std::printf("\n");
  }
  const Closeness close = allclose(got, wanted);  // PyTorch's default tolerance: 1.3e-6 relative, 1e-5 absolute
  std::printf("%s\n", close ? "equal to PyTorch's in parentheses" : close.message.c_str());
  return close ? 0 : 1;
}
