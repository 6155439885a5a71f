#pragma once

#include <minima/tensor/base/counted.h>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace minima::data {

/// Which samples an epoch visits, and in which order: a function from the epoch's number to a list of indices. It must
/// depend on nothing else, so that a resumed run sees the same order. Anything callable so is one:
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
/// Every index once, in an order that depends on seed and epoch alone.
MINIMA_API Sampler shuffling_sampler(std::int64_t count, std::uint64_t seed);
/// `count` draws per epoch in which an index is as probable as its weight. With `replacement` an index may come several
/// times; without, each comes at most once and those that come are as if drawn one after the other. Throws ValueError
/// for weights that are negative, not finite or all zero, or (without replacement) fewer positive ones than `count`.
MINIMA_API Sampler weighted_sampler(const std::vector<double>& weights, std::int64_t count, std::uint64_t seed,
                                    bool replacement = true);

/// Batches of samples of about the same length, so that padding is small: each `batch_size` indices that follow one
/// another come from neighbours in length out of `pool` random batches. Every index once; batches in random order.
/// Several processes give `batch_size * world_size`.
MINIMA_API Sampler bucket_sampler(const std::vector<std::int64_t>& lengths, std::int64_t batch_size, std::uint64_t seed,
                                  std::int64_t pool = 50);
namespace detail {
/// Says whose turn it is, so that every stretch of turns has the weights' shares as exactly as whole numbers can.
class MINIMA_API Shares {
 public:
  /// Throws ValueError, starting with `what`, for weights that are negative, not finite or all zero.
  Shares(std::vector<double> weights, const char* what);
  std::size_t next();
  std::size_t size() const { return shares_.size(); }

 private:
  std::vector<double> shares_, owed_;
};
}  // namespace detail

/// Draws from several datasets that were put together by Concatenated. Every stretch of the order has the datasets'
/// shares as exactly as whole numbers can; each dataset's own samples come shuffled and begin anew when they are used
/// up. Throws ValueError for weights that are negative or all zero, and for a weight above zero of an empty dataset.
MINIMA_API Sampler mixture_sampler(const std::vector<std::int64_t>& sizes, const std::vector<double>& weights,
                                   std::int64_t count, std::uint64_t seed);

}  // namespace minima::data
