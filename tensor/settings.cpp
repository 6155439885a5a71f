#include <minima/tensor/settings.h>

#include <cstddef>

namespace minima {

namespace {

/// A value that any thread may read and write; constant initialisation, so that it is right before `main` begins.
template <class T>
struct Setting {
  T value;
  void operator=(T given) { __atomic_store_n(&value, given, __ATOMIC_RELAXED); }
  operator T() const { return __atomic_load_n(&value, __ATOMIC_RELAXED); }
};

constinit Setting<bool> is_repeatable{false}, rounds_products{false}, times_products{false}, reduces_in_half{true},
    rounds_convolutions{false}, times_convolutions{false};
constinit Setting<std::size_t> max_workspace{std::size_t{256} << 20};

}  // namespace

void deterministic(bool on) { is_repeatable = on; }
bool is_deterministic() { return is_repeatable; }
void allow_tf32(bool on) { rounds_products = on; }
bool allows_tf32() { return rounds_products; }
void autotune(bool on) { times_products = on; }
bool is_autotune() { return times_products; }

void cublas::allow_reduced_precision_reduction(bool on) { reduces_in_half = on; }
bool cublas::allows_reduced_precision_reduction() { return reduces_in_half; }

void cudnn::allow_tf32(bool on) { rounds_convolutions = on; }
bool cudnn::allows_tf32() { return rounds_convolutions; }
void cudnn::benchmark(bool on) { times_convolutions = on; }
bool cudnn::is_benchmark() { return times_convolutions; }
void cudnn::workspace_limit(std::size_t bytes) { max_workspace = bytes; }
std::size_t cudnn::workspace_limit() { return max_workspace; }

}  // namespace minima
