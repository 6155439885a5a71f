// Where a training step's memory goes: a curve over the step from hooks, a summary by purpose, and, on a GPU, a
// snapshot of every block with a picture of the address space.

#include <minima/autograd/hooks.h>
#include <minima/minima.h>

#include <cstdio>
#include <string>

using namespace minima;

int main() {
  const Device device = default_device();
  manual_seed(1);
  nn::Sequential net;
  {
    const PurposeGuard guard(Purpose::parameters);  // what this scope allocates; without it, it counts as activations
    for (int i = 0; i < 8; ++i) net.push_back(nn::Sequential(nn::Linear({.in = 256, .out = 256}), nn::Tanh()));
    net.to(device);
  }
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});

  // After each block's forward, and again when backward has reached its output.
  Series forward{.name = "forward", .x = {}, .y = {}}, backward{.name = "backward", .x = {}, .y = {}};
  const auto note = [&](Series& series) {
    series.x.push_back(static_cast<double>(forward.x.size() + backward.x.size()));
    series.y.push_back(static_cast<double>(memory_stats(device).allocated) / (1 << 20));
  };
  for (const nn::NamedModule& block : net.children())
    block.module->add_forward_hook([&](nn::ModuleBase&, const std::vector<Tensor>&, std::vector<Tensor>& outputs) {
      note(forward);
      register_hook(outputs[0], [&](const Tensor& gradient) {
        note(backward);
        return gradient;
      });
    });

  for (int step = 0; step < 2; ++step) {  // from the second step on, the optimizer's state is there
    forward.x.clear(), forward.y.clear(), backward.x.clear(), backward.y.clear();
    reset_peak(device);
    optimizer.zero_grad();
    mean(square(net(randn({512, 256}, {.device = device})))).backward();
    optimizer.step();
  }
  write_file("memory_step.svg", line_plot_svg({{.title = "Memory of a training step",
                                                .x_label = "blocks passed",
                                                .y_label = "MiB allocated",
                                                .series = {forward, backward}}}));

  std::printf("forward:  %.1f MiB after the first block, %.1f after the last\n", forward.y.front(), forward.y.back());
  std::printf("backward: %.1f MiB when it reaches the first block again; the step's peak was %.1f\n", backward.y.back(),
              static_cast<double>(memory_stats(device).peak_allocated) / (1 << 20));
  std::printf("%s", memory_summary(device).c_str());
  if (device.is_cuda()) {  // the CPU's allocator has no segments to show
    const MemorySnapshot snapshot = memory_snapshot(device);
    write_file("memory.json", to_json(snapshot).text(1));
    write_file("memory.svg", memory_svg(snapshot));
  }
}
