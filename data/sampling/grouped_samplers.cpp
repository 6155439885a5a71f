#include <minima/data/sampling/sampler.h>

#include <minima/data/sampling/random.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>

namespace minima::data {

namespace {

using Order = std::vector<std::int64_t>;

// Keep what is drawn for one purpose from a seed apart from other draws.
constexpr std::uint64_t kBuckets = 0x6275636b657473, kMixture = 0x6d697874757265;

}  // namespace

Sampler bucket_sampler(const std::vector<std::int64_t>& lengths, std::int64_t batch_size, std::uint64_t seed,
                       std::int64_t pool) {
  if (batch_size < 1 || pool < 1) throw ValueError(str("bucket_sampler: batches of ", batch_size, ", pools of ", pool));
  return [=](std::uint64_t epoch) {
    const auto count = static_cast<std::int64_t>(lengths.size());
    Order order = permutation(count, derived_key(seed, kBuckets, 0), epoch);
    const std::int64_t stretch = pool * batch_size;
    for (std::int64_t first = 0; first < count; first += stretch)
      std::stable_sort(order.begin() + first, order.begin() + std::min(count, first + stretch),
                       [&](std::int64_t a, std::int64_t b) {
                         return lengths[static_cast<std::size_t>(a)] < lengths[static_cast<std::size_t>(b)];
                       });
    // Only full batches change places: a short one stays the last.
    Order shuffled;
    shuffled.reserve(order.size());
    for (const std::int64_t batch : permutation(count / batch_size, derived_key(seed, kBuckets, 1), epoch))
      shuffled.insert(shuffled.end(), order.begin() + batch * batch_size, order.begin() + (batch + 1) * batch_size);
    shuffled.insert(shuffled.end(), order.begin() + count / batch_size * batch_size, order.end());
    return shuffled;
  };
}

detail::Shares::Shares(std::vector<double> weights, const char* what)
    : shares_(std::move(weights)), owed_(shares_.size(), 0) {
  double sum = 0;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    if (!(shares_[i] >= 0) || !std::isfinite(shares_[i]))
      throw ValueError(str(what, ": weight ", i, " is ", shares_[i]));
    sum += shares_[i];
  }
  if (!(sum > 0)) throw ValueError(str(what, ": no weight is above zero"));
  for (double& share : shares_) share /= sum;
}

std::size_t detail::Shares::next() {
  std::size_t most = 0;  // the one that most is owed to
  for (std::size_t i = 0; i < owed_.size(); ++i) {
    owed_[i] += shares_[i];
    if (owed_[i] > owed_[most] + 1e-12) most = i;
  }
  owed_[most] -= 1;
  return most;
}

Sampler mixture_sampler(const std::vector<std::int64_t>& sizes, const std::vector<double>& weights, std::int64_t count,
                        std::uint64_t seed) {
  if (sizes.size() != weights.size() || count < 0)
    throw ValueError(
        str("mixture_sampler: ", sizes.size(), " datasets, ", weights.size(), " weights, ", count, " samples"));
  const detail::Shares from_start(weights, "mixture_sampler");
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (weights[i] > 0 && sizes[i] < 1)
      throw ValueError(str("mixture_sampler: dataset ", i, " is empty and has weight ", weights[i]));
  return [=](std::uint64_t epoch) {
    struct Part {
      std::int64_t used = 0, start = 0;
      std::uint64_t round = 0;
      Order order;
    };
    std::vector<Part> parts(sizes.size());
    for (std::size_t i = 1; i < parts.size(); ++i) parts[i].start = parts[i - 1].start + sizes[i - 1];
    detail::Shares shares = from_start;
    Order order;
    for (std::int64_t n = 0; n < count; ++n) {
      const std::size_t next = shares.next();
      Part& part = parts[next];
      if (part.used == static_cast<std::int64_t>(part.order.size())) {
        part.order = permutation(sizes[next], derived_key(seed, kMixture, next), derived_key(epoch, part.round++, 0));
        part.used = 0;
      }
      order.push_back(part.start + part.order[static_cast<std::size_t>(part.used++)]);
    }
    return order;
  };
}

}  // namespace minima::data
