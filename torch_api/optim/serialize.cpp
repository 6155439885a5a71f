#include <torch/optim/serialize.h>

#include <torch/optim.h>

// LibTorch's layout: states are stored under the address that the parameter had when it was saved, and the groups list
// these addresses.

namespace torch::optim {

namespace {

std::string address(const Tensor& parameter) {
  return std::to_string(reinterpret_cast<uintptr_t>(parameter.unsafeGetTensorImpl()));
}

void write_size(serialize::OutputArchive& archive, const std::string& key, size_t size) {
  archive.write(key, torch::tensor(static_cast<int64_t>(size)));
}
size_t read_size(serialize::InputArchive& archive, const std::string& key) {
  Tensor size;
  archive.read(key, size);
  return static_cast<size_t>(size.item<int64_t>());
}

void save_group(serialize::OutputArchive& archive, const OptimizerParamGroup& group) {
  write_size(archive, "params/size", group.params().size());
  for (size_t i = 0; i < group.params().size(); ++i)
    archive.write("params/" + std::to_string(i), IValue(address(group.params()[i])));
  serialize::OutputArchive options(archive.compilation_unit());
  group.options().serialize(options);
  archive.write("options", options);
}

}  // namespace

void detail::save(serialize::OutputArchive& archive, const Optimizer& optimizer) {
  archive.write("pytorch_version", IValue("1.5.0"));
  serialize::OutputArchive states(archive.compilation_unit()), groups(archive.compilation_unit());
  for (const auto& [parameter, state] : optimizer.state()) {
    serialize::OutputArchive one(archive.compilation_unit());
    state->serialize(one);
    states.write(std::to_string(reinterpret_cast<uintptr_t>(parameter)), one);
  }
  archive.write("state", states);
  write_size(groups, "param_groups/size", optimizer.param_groups().size());
  for (size_t g = 0; g < optimizer.param_groups().size(); ++g) {
    serialize::OutputArchive group(archive.compilation_unit());
    save_group(group, optimizer.param_groups()[g]);
    groups.write("param_groups/" + std::to_string(g), group);
  }
  archive.write("param_groups", groups);
}

void detail::load(serialize::InputArchive& archive, Optimizer& optimizer,
                  std::unique_ptr<OptimizerParamState> (*new_state)()) {
  serialize::InputArchive states, groups;
  archive.read("state", states);
  archive.read("param_groups", groups);
  TORCH_CHECK(read_size(groups, "param_groups/size") == optimizer.param_groups().size(),
              "loaded state dict has a different number of parameter groups");
  for (size_t g = 0; g < optimizer.param_groups().size(); ++g) {
    OptimizerParamGroup& group = optimizer.param_groups()[g];
    serialize::InputArchive saved, saved_options;
    groups.read("param_groups/" + std::to_string(g), saved);
    TORCH_CHECK(read_size(saved, "params/size") == group.params().size(),
                "loaded state dict contains a parameter group that has a different size than the optimizer's parameter "
                "group");
    for (size_t i = 0; i < group.params().size(); ++i) {
      IValue key;
      saved.read("params/" + std::to_string(i), key);
      serialize::InputArchive saved_state;
      if (!states.try_read(key.toStringRef(), saved_state)) continue;
      auto state = new_state();
      state->serialize(saved_state);
      optimizer.state()[group.params()[i].unsafeGetTensorImpl()] = std::move(state);
    }
    saved.read("options", saved_options);
    group.options().serialize(saved_options);
  }
}

void serialize(serialize::OutputArchive& archive, const std::string& key, const int64_t& value) {
  archive.write(key, IValue(value));
}
void serialize(serialize::InputArchive& archive, const std::string& key, int64_t& value) {
  IValue held;
  archive.read(key, held);
  value = held.toInt();
}
void serialize(serialize::OutputArchive& archive, const std::string& key, const std::vector<int64_t>& steps) {
  write_size(archive, key + "/size", steps.size());
  for (size_t i = 0; i < steps.size(); ++i) archive.write(key + "/" + std::to_string(i), torch::tensor(steps[i]), true);
}
void serialize(serialize::InputArchive& archive, const std::string& key, std::vector<int64_t>& steps) {
  steps.resize(read_size(archive, key + "/size"));
  for (size_t i = 0; i < steps.size(); ++i) {
    Tensor step;
    archive.read(key + "/" + std::to_string(i), step, true);
    steps[i] = step.item<int64_t>();
  }
}

}  // namespace torch::optim
