// A character LSTM written by hand: the cell is six lines, and its parameters have the names of torch.nn.LSTMCell.
//
//   cookbook_char_lstm [WEIGHTS]     start from these weights

#include <minima/minima.h>

#include <cstdio>
#include <string>

using namespace minima;

namespace {

const std::string text =
    "the quick brown fox jumps over the lazy dog. the dog sleeps. the fox runs over the hill and jumps over the "
    "brook. ";
constexpr std::int64_t letters = 28, width = 48, steps_back = 16, batch = 7;

std::int64_t number_of(char letter) { return letter == ' ' ? 26 : letter == '.' ? 27 : letter - 'a'; }
char letter_of(std::int64_t number) { return "abcdefghijklmnopqrstuvwxyz ."[number]; }

struct Memory {
  Tensor h, c;  ///< hidden state and cell, [N, width]
};

/// i, f, g, o = x·Wᵀ + b + h·Uᵀ + d;   c ← σ(f)·c + σ(i)·tanh(g);   h = σ(o)·tanh(c)   (Hochreiter & Schmidhuber 1997,
/// with the forget gate of Gers et al. 2000)
struct LstmCell : nn::ModuleOf<LstmCell> {
  nn::Parameter weight_ih = parameter("weight_ih", randn({4 * width, letters}) * 0.1);
  nn::Parameter weight_hh = parameter("weight_hh", randn({4 * width, width}) * 0.1);
  nn::Parameter bias_ih = parameter("bias_ih", zeros({4 * width}));
  nn::Parameter bias_hh = parameter("bias_hh", zeros({4 * width}));

  Memory forward(const Tensor& x, const Memory& memory) {
    const Tensor gates = linear(x, weight_ih, bias_ih) + linear(memory.h, weight_hh, bias_hh);
    const std::vector<Tensor> part = chunk(gates, 4, 1);
    const Tensor c = sigmoid(part[1]) * memory.c + sigmoid(part[0]) * tanh(part[2]);
    return {sigmoid(part[3]) * tanh(c), c};
  }
};

struct CharLstm : nn::ModuleOf<CharLstm> {
  LstmCell cell = child("cell", LstmCell());
  nn::Linear head = child("head", nn::Linear({.in = width, .out = letters}));

  /// text [N, T] of int64 → logits [N, T, letters]; `memory` is carried on.
  Tensor forward(const Tensor& numbers, Memory& memory) {
    const Tensor x = one_hot(numbers, letters).to(head.weight.dtype());
    std::vector<Tensor> outputs;
    for (std::int64_t t = 0; t < numbers.size(1); ++t) {
      memory = cell(select(x, 1, t), memory);
      outputs.push_back(head(memory.h));
    }
    return stack(outputs, 1);
  }
};

Memory nothing(std::int64_t n, Device device) {
  return {zeros({n, width}, {.device = device}), zeros({n, width}, {.device = device})};
}

}  // namespace

int main(int argc, char** argv) {
  const Device device = default_device();
  manual_seed(1);
  CharLstm net;
  if (argc > 1) nn::load(argv[1], net);
  net.to(device);

  // Each row is a window of the text; the target is the same window one letter later.
  std::vector<std::int64_t> windows;
  for (std::int64_t row = 0; row < batch; ++row)
    for (std::int64_t t = 0; t <= steps_back; ++t)
      windows.push_back(number_of(text[static_cast<std::size_t>(row * steps_back + t) % text.size()]));
  const Tensor all = from_vector(windows, {batch, steps_back + 1}, device);
  const Tensor input = slice(all, 1, 0, steps_back), target = slice(all, 1, 1, steps_back + 1);

  optim::Adam optimizer(net.parameters(), {.lr = 1e-2});
  for (int step = 0; step <= 150; ++step) {
    Memory memory = nothing(batch, device);
    optimizer.zero_grad();
    const Tensor loss = cross_entropy(reshape(net(input, memory), {-1, letters}), reshape(target, {-1}));
    loss.backward();
    optim::clip_grad_norm_(net.parameters(), 1.0);
    optimizer.step();
    if (step % 50 == 0) std::printf("step %3d: loss %.4f\n", step, loss.item<double>());
  }

  // One letter at a time, the likeliest each time.
  const NoGrad no_grad;
  Memory memory = nothing(1, device);
  std::string made = "the quick ";
  Tensor logits;
  for (const char letter : made)
    logits = net(full({1, 1}, number_of(letter), {.dtype = int64, .device = device}), memory);
  while (made.size() < 40) {
    const Tensor likeliest = argmax(logits, -1);  // [1, 1]
    made += letter_of(likeliest.item<std::int64_t>());
    logits = net(likeliest, memory);
  }
  std::printf("%s\n", made.c_str());
}
