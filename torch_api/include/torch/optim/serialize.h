#pragma once

#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>

namespace torch::optim {

namespace detail {
void save(serialize::OutputArchive& archive, const Optimizer& optimizer);
void load(serialize::InputArchive& archive, Optimizer& optimizer, std::unique_ptr<OptimizerParamState> (*new_state)());
}  // namespace detail

/// Saves and loads the groups and states of an optimizer, for overrides of Optimizer::save and load.
template <typename ParamState, typename Options>
void serialize(serialize::OutputArchive& archive, const Optimizer& optimizer) {
  detail::save(archive, optimizer);
}
template <typename ParamState, typename Options>
void serialize(serialize::InputArchive& archive, Optimizer& optimizer) {
  detail::load(archive, optimizer, [] { return std::unique_ptr<OptimizerParamState>(new ParamState); });
}

/// Saves and loads a number, or a list of numbers or tensors, under `key`.
void serialize(serialize::OutputArchive& archive, const std::string& key, const int64_t& value);
void serialize(serialize::InputArchive& archive, const std::string& key, int64_t& value);
void serialize(serialize::OutputArchive& archive, const std::string& key, const std::vector<int64_t>& steps);
void serialize(serialize::InputArchive& archive, const std::string& key, std::vector<int64_t>& steps);
template <typename BufferContainer>
void serialize(serialize::OutputArchive& archive, const std::string& key, const BufferContainer& buffers) {
  serialize(archive, key + "/size", static_cast<int64_t>(buffers.size()));
  for (size_t i = 0; i < buffers.size(); ++i) archive.write(key + "/" + std::to_string(i), buffers[i], true);
}

}  // namespace torch::optim
