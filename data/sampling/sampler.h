#pragma once

#include <minima/tensor/base/counted.h>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace minima::data {

/// Chooses the samples that an epoch visits, and their order: a pure function from the epoch's number to a list of
/// indices, so a resumed run sees the same order. Any such callable converts:
///
///     DataLoader loader(dataset, {.sampler = [](std::uint64_t) { return std::vector<std::int64_t>{3, 1, 2}; }});
class MINIMA_API Sampler {
 public:
  Sampler() = default;
  template <class F>
  requires(std::is_invocable_r_v<std::vector<std::int64_t>, const F&, std::uint64_t> && !std::is_same_v<F, Sampler>)
  Sampler(F f) : function_(new Holder<F>(std::move(f))) {}

  explicit operator bool() const { return static_cast<bool>(function_); }
  std::vector<std::int64_t> order(std::uint64_t epoch) const { return function_->call(epoch); }

 private:
  struct MINIMA_API Function : Counted {
    ~Function() override;
    virtual std::vector<std::int64_t> call(std::uint64_t epoch) const = 0;
  };
  template <class F>
  struct Holder final : Function {
    explicit Holder(F f) : function(std::move(f)) {}
    std::vector<std::int64_t> call(std::uint64_t epoch) const override { return function(epoch); }
    F function;
  };

  Ref<Function> function_;
};

/// 0, 1, …, count - 1 in every epoch.
MINIMA_API Sampler sequential_sampler(std::int64_t count);
/// A random permutation per epoch, determined by seed and epoch.
MINIMA_API Sampler shuffling_sampler(std::int64_t count, std::uint64_t seed);
/// Draws `count` indices per epoch with probability proportional to their weights, as WeightedRandomSampler does in
/// PyTorch. Without `replacement` no index repeats; the draws are distributed as successive draws from the rest. Throws
/// ValueError for weights that are negative, not finite or all zero, or, without replacement, if fewer than `count` are
/// positive.
MINIMA_API Sampler weighted_sampler(const std::vector<double>& weights, std::int64_t count, std::uint64_t seed,
                                    bool replacement = true);

/// Groups samples of similar length, so batches need little padding: shuffles, sorts each run of `pool` batches by
/// length, then shuffles the batches. Every index occurs once. With several processes, pass
/// `batch_size * world_size`.
MINIMA_API Sampler bucket_sampler(const std::vector<std::int64_t>& lengths, std::int64_t batch_size, std::uint64_t seed,
                                  std::int64_t pool = 50);
namespace detail {
/// Interleaves sources by weight (weighted round-robin): each gets its exact share of every run of turns, up to
/// rounding.
class MINIMA_API MixingWeights {
 public:
  /// Throws ValueError, starting with `what`, for weights that are negative, not finite or all zero.
  MixingWeights(std::vector<double> weights, const char* what);
  /// The source whose turn it is.
  std::size_t next();
  std::size_t size() const { return weights_.size(); }

 private:
  std::vector<double> weights_, credit_;
};
}  // namespace detail

/// Interleaves the parts of a Concatenated dataset by weight: every run of the order holds each part's exact share, up
/// to rounding. A part's samples come shuffled, and reshuffled whenever they run out. Throws ValueError for weights
/// that are negative or all zero, and for a positive weight of an empty part.
MINIMA_API Sampler mixture_sampler(const std::vector<std::int64_t>& sizes, const std::vector<double>& weights,
                                   std::int64_t count, std::uint64_t seed);

}  // namespace minima::data
