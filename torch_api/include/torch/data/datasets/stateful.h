#pragma once

#include <torch/data/datasets/base.h>
#include <torch/serialize/fwd.h>

namespace torch::data::datasets {

/// A dataset that chooses its samples itself: `get_batch` returns nullopt at the end of an epoch, `reset` begins the
/// next one. All workers of a loader call the same object, which must allow that.
template <typename Self, typename Batch = std::vector<Example<>>, typename BatchRequest = size_t>
class StatefulDataset : public BatchDataset<Self, std::optional<Batch>, BatchRequest> {
 public:
  virtual void reset() = 0;
  virtual void save(serialize::OutputArchive& archive) const = 0;
  virtual void load(serialize::InputArchive& archive) = 0;
};

template <typename... Args>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const StatefulDataset<Args...>& dataset) {
  dataset.save(archive);
  return archive;
}
template <typename... Args>
serialize::InputArchive& operator>>(serialize::InputArchive& archive, StatefulDataset<Args...>& dataset) {
  dataset.load(archive);
  return archive;
}

}  // namespace torch::data::datasets
