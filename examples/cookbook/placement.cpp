// Choosing between CPU and GPU by cost: auto_device estimates both from measured speeds and picks the earlier one.

#include <minima/minima.h>
#include <minima/tensor/base/format.h>

#include <cstdio>

using namespace minima;

namespace {

/// The product of two n × n matrices that are on the CPU and whose result is wanted there.
Workload product(double n) {
  const double matrices = 3 * n * n * sizeof(float);
  return {.flops = 2 * n * n * n,
          .bytes = matrices,
          .transferred = matrices,
          .memory = static_cast<std::int64_t>(matrices)};
}

/// Runs `f` on x wherever that is faster, and brings the result back. `work` is measured from f itself.
template <class F>
Tensor run_where_it_is_faster(const F& f, const Tensor& x) {
  Workload work = observed_workload([&] { f(select(x, 0, 0)); });  // one row stands for all: the costs are proportional
  const double share = static_cast<double>(x.size(0));
  work.flops *= share;
  work.bytes *= share;
  work.transferred = 2 * static_cast<double>(x.numel()) * static_cast<double>(x.itemsize());
  work.memory = static_cast<std::int64_t>(2 * work.bytes);
  const Device device = auto_device(work);
  std::printf("%.1f MFLOP in %.0f operators on %s\n", work.flops / 1e6, work.launches, str(device).c_str());
  return f(x.to(device)).to(Device::cpu());
}

}  // namespace

int main() {
  // A GPU as a data sheet describes it; with one in the machine, use measured_speed(Device::cuda()).
  constexpr DeviceSpeed gpu{
      .flops = 2e13, .bytes = 1e12, .transfer_bytes = 2e10, .launch_seconds = 1e-5, .transfer_seconds = 1e-5};
  const DeviceSpeed& cpu = measured_speed(Device::cpu());
  std::printf("this CPU: %.1f GFLOP/s, %.1f GB/s\n", cpu.flops / 1e9, cpu.bytes / 1e9);
  const std::int64_t room = std::int64_t{8} << 30;
  for (double n = 16; n <= 4096; n *= 4) {
    const Workload work = product(n);
    std::printf("matmul %4.0f: CPU %11.1f us, that GPU %9.1f us with copies, %9.1f without -> %s\n", n,
                1e6 * estimated_seconds(work, cpu, false), 1e6 * estimated_seconds(work, gpu, true),
                1e6 * estimated_seconds(work, gpu, false), prefers_gpu(work, cpu, gpu, room) ? "GPU" : "CPU");
  }

  // The decision for real work in this machine. Without a GPU it is always the CPU, and nothing is measured.
  manual_seed(1);
  const NoGrad no_grad;
  const Tensor x = randn({64, 128, 128});
  const Tensor y = run_where_it_is_faster([](const Tensor& v) { return tanh(matmul(v, v)); }, x);
  std::printf("mean square %.4f\n", mean(square(y)).item<double>());
}
