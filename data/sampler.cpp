#include <minima/data/sampler.h>

#include <minima/data/random.h>

#include <numeric>

namespace minima::data {

Sampler::Function::~Function() = default;

Sampler::Sampler(const Sampler& other) : function_(other.function_) {
  if (function_) __atomic_fetch_add(&function_->references, 1u, __ATOMIC_RELAXED);
}

Sampler::~Sampler() {
  if (function_ && __atomic_sub_fetch(&function_->references, 1u, __ATOMIC_ACQ_REL) == 0u) delete function_;
}

Sampler sequential_sampler(std::int64_t count) {
  return [count](std::uint64_t) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    return order;
  };
}

Sampler shuffling_sampler(std::int64_t count, std::uint64_t seed) {
  return [=](std::uint64_t epoch) { return permutation(count, seed, epoch); };
}

}  // namespace minima::data
