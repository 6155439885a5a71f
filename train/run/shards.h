#pragma once

#include <minima/io/state.h>
#include <minima/optim/update/parts.h>
#include <minima/tensor/tensor.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace minima {
struct StateParts;
class SavedState;
namespace nn {
class ModuleBase;
}
namespace optim {
class Optimizer;
}
}  // namespace minima

// States of distributed::shard: a rank saves its parts of tensors, and reads those that it has now, on any number of
// ranks.

namespace minima::train::detail {

/// The entries of an object's state of which this rank has a part: by their names, or of an optimizer by what comes
/// before the last dot, `state.encoder.weight` for `state.encoder.weight.exp_avg`.
class Shards {
 public:
  void add(const std::string& key, const optim::detail::PartOfTensor& part) { parts_.emplace(key, part); }
  /// Every rank has the whole of this entry, although its key is that of a part.
  void add_whole(const std::string& entry) { parts_.emplace(entry, std::nullopt); }
  bool empty() const { return parts_.empty(); }
  /// Null for what every rank has.
  const optim::detail::PartOfTensor* find(const std::string& entry) const;

 private:
  std::map<std::string, std::optional<optim::detail::PartOfTensor>> parts_;
};

MINIMA_API Shards shards_of(const nn::ModuleBase& module);
MINIMA_API Shards shards_of(const optim::Optimizer& optimizer);
/// Entries `PREFIX0`, `PREFIX1`, … are in the order of the parameters.
MINIMA_API Shards shards_of(const std::vector<Tensor>& parameters, const std::string& prefix);

/// Adds a state below `name.`: parts as pieces, the rest as replicated.
void add_shared(StateParts& parts, const std::string& name, const State& state, const Shards& shards);
/// Reads what was saved below `name.`; of whole tensors it reads the parts that this rank has now. Throws ValueError
/// for a parameter of another shape.
State read_shared(const SavedState& saved, const std::string& name, const Shards& shards);

}  // namespace minima::train::detail
