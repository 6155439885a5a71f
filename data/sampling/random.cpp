#include <minima/data/sampling/random.h>

#include <minima/data/sampling/shared_seed.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/random/philox.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace minima::data {

namespace {

__extension__ using Wide = unsigned __int128;

// Domain separation: different uses of one seed draw independent numbers.
constexpr std::uint64_t shuffle = 0x73687566666c6521;

/// Rank 0's seed, and the one that this process had when it learned it.
struct SharedSeed {
  std::uint64_t first_ranks, own;
};
std::mutex shared_seed_mutex;
std::optional<SharedSeed> shared_seed;

}  // namespace

std::uint64_t default_seed() {
  const std::uint64_t own = initial_seed();
  const std::lock_guard lock(shared_seed_mutex);
  return shared_seed && shared_seed->own == own ? shared_seed->first_ranks : own;
}

void detail::share_seed(std::uint64_t first_ranks) {
  const std::uint64_t own = initial_seed();
  const std::lock_guard lock(shared_seed_mutex);
  shared_seed = {first_ranks, own};
}

double RandomStream::log_uniform(const Interval& range) {
  return std::exp(uniform(std::log(range.low), std::log(range.high)));
}

std::int64_t RandomStream::below(std::int64_t count) {
  // Multiply and reject (Lemire, "Fast random integer generation in an interval", 2019).
  const auto n = static_cast<std::uint64_t>(count);
  Wide product = Wide{wide()} * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t sliver = -n % n;
    while (static_cast<std::uint64_t>(product) < sliver) product = Wide{wide()} * n;
  }
  return static_cast<std::int64_t>(product >> 64);
}

std::uint64_t derived_key(std::uint64_t key, std::uint64_t a, std::uint64_t b) {
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const auto high = [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); };
  const Philox::Block block = Philox::block({{low(a), high(a), low(b), high(b)}}, key);
  return block.word[0] | std::uint64_t{block.word[1]} << 32;
}

std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t seed, std::uint64_t epoch) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  RandomStream random(derived_key(seed, epoch, shuffle));
  for (std::int64_t i = count - 1; i > 0; --i)  // Fisher and Yates
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
  return order;
}

}  // namespace minima::data
