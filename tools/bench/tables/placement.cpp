#include "simulated/machine/gpu_kind.h"
#include "tables.h"

#include <minima/tensor/auto_device.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

// Shows which work belongs on which device, by the model that auto_device decides with.

using namespace minima;

namespace bench {

namespace {

/// An H200 by its data sheet, for machines without a GPU.
DeviceSpeed speed_of_h200() {
  const simulated::GpuKind& gpu = simulated::h200;
  return {.flops = gpu.peak_float32 * gpu.achieved_rate,
          .bytes = gpu.bandwidth * gpu.achieved_bandwidth,
          .transfer_bytes = gpu.host_bandwidth,
          .launch_seconds = 5e-6,
          .transfer_seconds = 1e-5};
}

}  // namespace

Table placement(const Settings& settings) {
  Table table{.rows_are = "work, and where it belongs",
              .columns = {{"CPU, µs", Better::lower}, {"GPU from CPU memory, µs"}, {"GPU, values there, µs"}}};
  const bool has_gpu = settings.device.is_cuda() && !settings.predicted;
  const DeviceSpeed gpu = has_gpu ? measured_speed(settings.device) : speed_of_h200();
  Settings cpu = settings;
  cpu.device = Device::cpu();
  const NoGrad guard;
  // `transferred`: bytes that go to the GPU and come back if the values are on the CPU.
  const auto row = [&](const std::string& name, double transferred, const auto& work) {
    Workload load = observed_workload(work);
    load.transferred = transferred;
    const double here = seconds_of(cpu, work), sent = estimated_seconds(load, gpu, true),
                 there = estimated_seconds(load, gpu, false);
    const char* const place = sent < here ? "GPU" : there < here ? "GPU if the values are there" : "CPU";
    table.add(str(name, ": ", place), {here * micro, sent * micro, there * micro});
  };
  for (const std::int64_t n : {64, 100, 512, 2048}) {
    if (n > std::max<std::int64_t>(settings.largest, 100)) continue;
    const Tensor a = randn({n, n}), b = randn({n, n});
    row(str("a product of ", n, " × ", n), 12.0 * static_cast<double>(n * n), [&] { matmul(a, b); });
  }
  const std::int64_t many = settings.largest < 1024 ? 1 << 14 : 1 << 22;
  const Tensor x = rand({many});
  const auto bytes = 8.0 * static_cast<double>(many);
  row(str("one pointwise operator on ", many, " numbers"), bytes, [&] { exp(x); });
  row(str("20 of them"), bytes, [&] {
    Tensor y = x;
    for (int i = 0; i < 20; ++i) y = exp(y);
  });
  const Tensor few = rand({16});
  row("100 operators on 16 numbers", 128, [&] {
    Tensor y = few;
    for (int i = 0; i < 100; ++i) y = y + 1.0;
  });
  row("a decision after each of 20 sums of 1024", 4096, [&, values = rand({1024})] {
    for (int i = 0; i < 20; ++i)
      if (sum(values).item<double>() < 0) return;
  });
  nn::Sequential net(nn::Linear({.in = 784, .out = 512}), nn::ReLU(), nn::Linear({.in = 512, .out = 10}));
  for (const std::int64_t batch : {1, 256}) {
    const Tensor images = rand({batch, 784});
    row(str("a perceptron, batch ", batch), 4.0 * 794 * static_cast<double>(batch), [&] { net(images); });
  }
  table.notes.push_back(has_gpu ? "The GPU's times are auto_device's, by its measured speed; reading files belongs on "
                                  "the CPU, in a loader's workers."
                                : "The GPU's times are predicted: auto_device's model with the data sheet of an H200. "
                                  "Reading files belongs on the CPU, in a loader's workers.");
  return table;
}

}  // namespace bench
