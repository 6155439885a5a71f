#include <minima/data/sampling/sampler.h>

#include <minima/data/sampling/random.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace minima::data {

namespace {

using Order = std::vector<std::int64_t>;

// Domain separation: different uses of one seed draw independent numbers.
constexpr std::uint64_t buckets = 0x6275636b657473, mixture = 0x6d697874757265;

}  // namespace

Sampler bucket_sampler(const std::vector<std::int64_t>& lengths, std::int64_t batch_size, std::uint64_t seed,
                       std::int64_t pool) {
  if (batch_size < 1 || pool < 1)
    throw ValueError(str("bucket_sampler: batch_size and pool must be at least 1, got ", batch_size, " and ", pool));
  return [=](std::uint64_t epoch) {
    const auto count = static_cast<std::int64_t>(lengths.size());
    Order order = permutation(count, derived_key(seed, buckets, 0), epoch);
    const std::int64_t run = pool * batch_size;
    for (std::int64_t first = 0; first < count; first += run)
      std::stable_sort(order.begin() + first, order.begin() + std::min(count, first + run),
                       [&](std::int64_t a, std::int64_t b) {
                         return lengths[static_cast<std::size_t>(a)] < lengths[static_cast<std::size_t>(b)];
                       });
    // Only full batches are shuffled: a partial one stays last.
    Order shuffled;
    shuffled.reserve(order.size());
    for (const std::int64_t batch : permutation(count / batch_size, derived_key(seed, buckets, 1), epoch))
      shuffled.insert(shuffled.end(), order.begin() + batch * batch_size, order.begin() + (batch + 1) * batch_size);
    shuffled.insert(shuffled.end(), order.begin() + count / batch_size * batch_size, order.end());
    return shuffled;
  };
}

detail::MixingWeights::MixingWeights(std::vector<double> weights, const char* what)
    : weights_(std::move(weights)), credit_(weights_.size(), 0) {
  double sum = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (!(weights_[i] >= 0) || !std::isfinite(weights_[i]))
      throw ValueError(str(what, ": weight ", i, " is ", weights_[i]));
    sum += weights_[i];
  }
  if (!(sum > 0)) throw ValueError(str(what, ": no weight is above zero"));
  for (double& weight : weights_) weight /= sum;
}

std::size_t detail::MixingWeights::next() {
  std::size_t most = 0;
  for (std::size_t i = 0; i < credit_.size(); ++i) {
    credit_[i] += weights_[i];
    if (credit_[i] > credit_[most] + 1e-12) most = i;
  }
  credit_[most] -= 1;
  return most;
}

Sampler mixture_sampler(const std::vector<std::int64_t>& sizes, const std::vector<double>& weights, std::int64_t count,
                        std::uint64_t seed) {
  if (sizes.size() != weights.size() || count < 0)
    throw ValueError(str("mixture_sampler: needs one weight per dataset and a count of at least 0, got ", sizes.size(),
                         " datasets, ", weights.size(), " weights, ", count, " samples"));
  const detail::MixingWeights initial(weights, "mixture_sampler");
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (weights[i] > 0 && sizes[i] < 1)
      throw ValueError(str("mixture_sampler: dataset ", i, " is empty and has weight ", weights[i]));
  return [=](std::uint64_t epoch) {
    struct Cursor {
      std::int64_t used = 0, start = 0;
      std::uint64_t round = 0;
      Order order;
    };
    std::vector<Cursor> cursors(sizes.size());
    for (std::size_t i = 1; i < cursors.size(); ++i) cursors[i].start = cursors[i - 1].start + sizes[i - 1];
    detail::MixingWeights mixing = initial;
    Order order;
    for (std::int64_t n = 0; n < count; ++n) {
      const std::size_t next = mixing.next();
      Cursor& cursor = cursors[next];
      if (cursor.used == static_cast<std::int64_t>(cursor.order.size())) {
        cursor.order =
            permutation(sizes[next], derived_key(seed, mixture, next), derived_key(epoch, cursor.round++, 0));
        cursor.used = 0;
      }
      order.push_back(cursor.start + cursor.order[static_cast<std::size_t>(cursor.used++)]);
    }
    return order;
  };
}

}  // namespace minima::data
