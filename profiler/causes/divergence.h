#pragma once

#include <minima/profiler/causes/value_trace.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

struct DivergenceOptions {
  /// Values part if their largest difference exceeds `absolute + relative · max|first|` of the tensor.
  double relative = 1e-4, absolute = 1e-7;
};

/// Compares two runs of a step, value by value.
struct Divergence {
  struct Value {
    Origin origin;
    double difference = 0;         ///< the largest of the tensor's elements; infinite for other shapes, NaN or Inf
    double relative = 0;           ///< that, as a share of the first run's largest absolute value
    double first = 0, second = 0;  ///< the elements that differ most
    std::string problem = {};      ///< where shapes differ
    bool parts = false;
  };
  std::vector<Value> values;       ///< that both runs have, in the second one's order
  std::vector<Origin> only_first;  ///< that only one run has
  std::vector<Origin> only_second;

  /// The first value where the runs part; null if they agree.
  MINIMA_API const Value* first() const;
  /// The first value where they part, what only one of them did, and the largest differences.
  MINIMA_API std::string text(int most = 10) const;
};

namespace detail {

/// Holds what `find_divergence` needs of a network.
struct TracedNetwork {
  struct Named {
    std::string name;
    Tensor tensor;
  };
  std::vector<Named> tensors;
  Function<void(ValueTrace&)> watch;
};

template <class Network>
TracedNetwork traced(Network& network) {
  TracedNetwork result;
  for (const auto& [name, tensor] : network.named_parameters()) result.tensors.push_back({name, tensor});
  for (const auto& [name, tensor] : network.named_buffers()) result.tensors.push_back({name, tensor});
  result.watch = [&network](ValueTrace& trace) { trace.watch(network); };
  return result;
}

/// A group of ranks; the profiler does not include those of `distributed`.
struct Ranks {
  int rank = 0, size = 1;
  Function<Tensor(const Tensor&)> all_gather = {};  ///< x [...] of all ranks → [size, ...], on the CPU
};

MINIMA_API Divergence find_divergence(const TracedNetwork& a, const Function<void()>& first, const TracedNetwork& b,
                                      const Function<void()>& second, const DivergenceOptions& options,
                                      const Ranks& ranks = {});

}  // namespace detail

/// Runs two configurations of a step from the same parameters, buffers and random numbers, without gradients, and
/// compares operators' outputs, gradients, modules' results, and at the end parameters, buffers and `.grad`. Afterwards
/// all of these are as before, `.grad` undefined. What else the steps change, such as an optimizer, they should create.
///
///     const auto divergence = profiler::find_divergence(
///         net, [&] { cross_entropy(net(x), y).backward(); },
///         [&] { amp::Autocast autocast; cross_entropy(net(x), y).backward(); }, {.relative = 0.02});
///     std::puts(divergence.text().c_str());
///
/// Keeps all values of the first run in memory, in float64.
template <class Network>
Divergence find_divergence(Network& network, const Function<void()>& first, const Function<void()>& second,
                           const DivergenceOptions& options = {}) {
  const detail::TracedNetwork traced = detail::traced(network);
  return detail::find_divergence(traced, first, traced, second, options);
}
/// The same with two networks whose modules and tensors have the same names, on any devices and in any dtypes: the
/// second one starts with the values of the first.
template <class NetworkA, class NetworkB>
Divergence find_divergence(NetworkA& a, const Function<void()>& first, NetworkB& b, const Function<void()>& second,
                           const DivergenceOptions& options = {}) {
  return detail::find_divergence(detail::traced(a), first, detail::traced(b), second, options);
}
/// One process against the ranks of a group (`distributed::ProcessGroup`): on every rank, `first` takes a step on the
/// whole batch and `second` on the rank's part of it, part r of equal ones, with a loss that is a mean. Of values with
/// a dimension of samples, each rank compares its part; of others, such as the loss, the mean over the ranks. All ranks
/// call this and get the same result. What a layer computes over its own samples only, such as a batch norm, parts.
///
///     distributed::DistributedDataParallel parallel(replica, group);
///     const auto divergence = profiler::find_divergence(
///         net, [&] { cross_entropy(net(x), y).backward(); },
///         replica, [&] { cross_entropy(replica(my_x), my_y).backward(); }, group);
///
/// Throws ValueError if the ranks' steps compute different numbers of values.
template <class NetworkA, class NetworkB, class Group>
requires requires(const Group& group, const Tensor& x) { group.all_gather(x).result(); }
Divergence find_divergence(NetworkA& a, const Function<void()>& first, NetworkB& b, const Function<void()>& second,
                           const Group& group, const DivergenceOptions& options = {}) {
  const auto all_gather = [&group](const Tensor& x) {
    return group.all_gather(x.to(group.device())).result().to(Device::cpu());
  };
  return detail::find_divergence(detail::traced(a), first, detail::traced(b), second, options,
                                 {group.rank(), group.size(), all_gather});
}

}  // namespace minima::profiler
