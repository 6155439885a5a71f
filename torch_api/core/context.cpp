#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/threads/parallel.h>

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <atomic>

namespace at {

Context& globalContext() {
  static Context context;
  return context;
}

bool Context::hasCUDA() const { return minima::cuda::device_count() > 0; }
std::size_t getNumGPUs() { return static_cast<std::size_t>(minima::cuda::device_count()); }
void Context::setDeterministicAlgorithms(bool on, bool) { minima::deterministic(on); }
bool Context::deterministicAlgorithms() const { return minima::is_deterministic(); }
void Context::setBenchmarkCuDNN(bool on) { minima::cudnn::benchmark(on); }
bool Context::benchmarkCuDNN() const { return minima::cudnn::is_benchmark(); }
void Context::setAllowTF32CuBLAS(bool on) { minima::allow_tf32(on); }
bool Context::allowTF32CuBLAS() const { return minima::allows_tf32(); }
void Context::setAllowTF32CuDNN(bool on) { minima::cudnn::allow_tf32(on); }
bool Context::allowTF32CuDNN() const { return minima::cudnn::allows_tf32(); }
void Context::setAllowFP16ReductionCuBLAS(bool on) { minima::cublas::allow_reduced_precision_reduction(on); }
bool Context::allowFP16ReductionCuBLAS() const { return minima::cublas::allows_reduced_precision_reduction(); }

namespace {
std::atomic<int> interop_threads = 1;
std::atomic<int> next_thread = 0;
}  // namespace

void set_num_interop_threads(int count) { interop_threads = count; }
int get_num_interop_threads() { return interop_threads; }
int get_thread_num() {
  static thread_local const int number = next_thread++;
  return number;
}
bool in_parallel_region() {
  // inside a parallel_for a thread has no others to use
  return minima::num_threads() == 1;
}
std::string get_parallel_info() {
  return "ATen/Parallel:\n\tat::get_num_threads() : " + std::to_string(get_num_threads()) +
         "\nATen parallel backend: minima's threads\n";
}

}  // namespace at
