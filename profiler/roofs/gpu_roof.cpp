#include <minima/profiler/roofs/gpu_roof.h>

#include <minima/autograd/mode.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/matmul.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

namespace minima::profiler {

namespace {

/// Seconds of GPU time: the shortest of ten runs, after two that warm up.
template <class F>
double fastest(Device device, const F& run) {
  double least = 1e9;
  const Stream stream = current_stream(device);
  for (int i = 0; i < 12; ++i) {
    Event begin(true), end(true);
    begin.record(stream);
    run();
    end.record(stream);
    if (i >= 2) least = std::min(least, 1e-3 * static_cast<double>(end.since(begin)));
  }
  return least;
}

double product_rate(Device device, DType dtype) {
  constexpr std::int64_t n = 4096;
  const Tensor a = ones({n, n}, {.dtype = dtype, .device = device}),
               b = ones({n, n}, {.dtype = dtype, .device = device});
  const double seconds = fastest(device, [&] { static_cast<void>(matmul(a, b)); });
  return 2.0 * static_cast<double>(n * n * n) / seconds;
}

Roof measure(Device device) {
  const NoGrad guard;
  Roof roof;
  const Tensor x = ones({std::int64_t{64} << 20}, {.device = device});
  const double bytes = 2.0 * static_cast<double>(x.numel()) * static_cast<double>(x.itemsize());
  roof.bytes_per_second = bytes / fastest(device, [&] { static_cast<void>(-x); });
  roof.flops_per_second = product_rate(device, float32);
  roof.half_flops_per_second = std::max(roof.flops_per_second, product_rate(device, bfloat16));
  const Tensor one = ones({1}, {.device = device});
  constexpr int calls = 64;
  roof.call_seconds = fastest(device,
                              [&] {
                                for (int i = 0; i < calls; ++i) static_cast<void>(-one);
                              }) /
                      calls;
  return roof;
}

}  // namespace

Roof gpu_roof(int device) {
  Roof predicted;
  if (predict_roof(device, predicted)) return predicted;
  static std::mutex mutex;
  static std::map<int, Roof> measured;
  const std::lock_guard lock(mutex);
  const auto found = measured.find(device);
  if (found != measured.end()) return found->second;
  return measured[device] = measure(Device::cuda(device));
}

}  // namespace minima::profiler
