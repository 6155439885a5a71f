#pragma once

#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A process may have only a part of a parameter, as under distributed::shard. Internal.

namespace minima::optim::detail {

/// The part of a tensor that a process has: elements from `offset` on, in row-major order.
struct PartOfTensor {
  Shape shape;  ///< of the whole tensor
  std::int64_t offset = 0, count = 0;
  bool is_first_copy = true;            ///< false if another process has the same part and saves it
  bool has_unreduced_gradient = false;  ///< its gradient waits for a later pass, so `.grad` does not hold it
};

/// The processes that have the parts of the same tensors. Parts follow each other in the order of ranks. All processes
/// make the same calls.
class MINIMA_API PartsOfTensors {
 public:
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// The part of a listed parameter that a process has.
  virtual PartOfTensor place(const Tensor& parameter, int rank) const = 0;
  /// Adds up a floating tensor over the processes, or takes the largest elements; in place.
  virtual void reduce(const Tensor& x, bool is_max) = 0;
  /// Sends given[r] elements of the vector x to process r, and returns taken[r] elements of each, in the order of
  /// ranks.
  virtual Tensor exchange(const Tensor& x, const std::vector<std::int64_t>& given,
                          const std::vector<std::int64_t>& taken) = 0;

 protected:
  ~PartsOfTensors() = default;
};
/// Processes of which each has a part of its own of the same parameters, cut as only the program knows.
class MINIMA_API Peers {
 public:
  /// As PartsOfTensors::reduce.
  virtual void reduce(const Tensor& x, bool is_max) = 0;
  /// The processes, as the checker of placements calls them.
  virtual const std::string& ranks() const = 0;

 protected:
  ~Peers() = default;
};
/// Lists a parameter of which this process has a part, in place of the whole one. Norms of gradients then count all
/// parts of it, and whole parameters once. Peers of the whole one have parts of each part.
MINIMA_API void set_parts(const Tensor& part, const Tensor& whole, PartsOfTensors* others);
/// Takes both off the list.
MINIMA_API void forget_parts(const Tensor& part, const Tensor& whole);
/// Lists a parameter of which the peers have other parts, and removes them from all parameters.
MINIMA_API void add_peers(const Tensor& parameter, Peers* peers);
MINIMA_API void remove_peers(Peers* peers);
/// Whether the parameter has peers that are called so.
MINIMA_API bool has_peers(const Tensor& parameter, const std::string& ranks);
/// Nothing for a parameter that this process has as a whole.
MINIMA_API std::optional<PartOfTensor> part_of(const Tensor& parameter);
/// The shape of a parameter, of which this process may have a part only.
MINIMA_API Shape whole_shape(const Tensor& parameter);
/// Throws ValueError for a whole parameter in whose place a part is listed: it has no gradient, and its values are
/// those of none or of an earlier step.
MINIMA_API void expect_listed(const char* user, const std::vector<Tensor>& parameters);
/// The same, and for a part whose gradient waits for a later pass, so that `.grad` is not it.
MINIMA_API void expect_gradients(const char* user, const std::vector<Tensor>& parameters);

/// Parameters by who has the other parts of them: indices into the list; first those that are whole.
struct PartsGroup {
  PartsOfTensors* others;
  std::vector<Peers*> peers;
  std::vector<std::size_t> indices;

  bool is_shared() const { return others || !peers.empty(); }
  /// Adds up a floating tensor over all processes that have parts, or takes the largest elements; in place.
  void reduce(const Tensor& x, bool is_max) const;
};
std::vector<PartsGroup> by_parts(const std::vector<Tensor>& parameters);
/// Throws ValueError if this process has only a part of a parameter: `optimizer` computes with whole tensors.
MINIMA_API void expect_whole(const char* optimizer, const std::vector<Tensor>& parameters);
/// Throws ValueError if a parameter has peers: `optimizer` has to know where parts belong.
MINIMA_API void expect_no_peers(const char* optimizer, const std::vector<Tensor>& parameters);

}  // namespace minima::optim::detail
