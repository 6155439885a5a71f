// Transfer learning: a backbone learns eight classes; then it is frozen, and a new head learns two other classes from
// forty examples.
//
//   cookbook_transfer_learning [BACKBONE]     a safetensors file with the weights of "backbone.…", e.g. PyTorch's

#include <minima/minima.h>

#include <cstdio>
#include <filesystem>
#include <string>

using namespace minima;

namespace {

struct Net : nn::Module {
  nn::Sequential backbone = child("backbone", nn::Sequential(nn::Linear({.in = 2, .out = 32}), nn::Tanh(),
                                                             nn::Linear({.in = 32, .out = 32}), nn::Tanh()));
  nn::Linear head;

  explicit Net(std::int64_t classes) : head(child("head", nn::Linear({.in = 32, .out = classes}))) {}
  Tensor forward(const Tensor& x) override { return head(backbone(x)); }
};

struct Examples {
  Tensor x, label;
};
/// Points on a spiral, [count, 2]. The label is the eighth of a turn, or for the new task whether it is an odd one.
Examples spiral(std::int64_t count, bool new_task, Device device) {
  const Tensor turn = linspace(0, 1.98, count, {.device = device});  // in half turns
  const Tensor radius = 1 + turn * 0.2, angle = turn * 3.14159265;
  const Tensor eighth = floor(turn * 4).to(int64);
  return {stack({radius * cos(angle), radius * sin(angle)}, 1), new_task ? remainder(eighth, 2) : eighth};
}

double train(Net& net, const Examples& examples, int steps) {
  std::vector<Tensor> trainable;
  for (const Tensor& p : net.parameters())
    if (p.requires_grad()) trainable.push_back(p);
  optim::Adam optimizer(trainable, {.lr = 1e-2});
  double last = 0;
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    const Tensor loss = cross_entropy(net(examples.x), examples.label);
    loss.backward();
    optimizer.step();
    last = loss.item<double>();
  }
  return last;
}

double accuracy(Net& net, const Examples& examples) {
  const NoGrad no_grad;
  Accuracy fraction;
  fraction.add(net(examples.x), examples.label);
  return fraction.value();
}

}  // namespace

int main(int argc, char** argv) {
  const Device device = default_device();
  manual_seed(1);
  const std::string file = argc > 1 ? argv[1] : "cookbook_backbone.safetensors";
  if (argc == 1) {
    Net teacher(8);
    teacher.to(device);
    std::printf("backbone: loss %.4f\n", train(teacher, spiral(400, false, device), 400));
    State state;
    state.add("backbone", teacher.backbone.state_dict());  // without the head
    save(file, state);
  }

  Net net(2);
  nn::init::zeros_(net.head.weight);
  nn::init::zeros_(net.head.bias);
  const nn::LoadReport report = nn::load(file, net, {.strict = false});
  std::printf("not in the file:");
  for (const std::string& name : report.missing) std::printf(" %s", name.c_str());
  const std::int64_t frozen = nn::freeze(net, "backbone.");
  std::printf("; frozen: %lld tensors\n", static_cast<long long>(frozen));
  net.to(device);
  const Tensor before = clone(net.backbone.at<nn::Linear>(0).weight);

  const Examples few = spiral(40, true, device), many = spiral(1000, true, device);
  const double loss = train(net, few, 300);
  std::printf("new head: loss %.4f, accuracy %.3f on 1000 other points\n", loss, accuracy(net, many));
  const bool kept = identical(before.detach(), net.backbone.at<nn::Linear>(0).weight.detach());
  std::printf("the backbone is %s\n", kept ? "unchanged" : "changed");
  if (argc == 1) std::filesystem::remove(file);
  return kept ? 0 : 1;
}
