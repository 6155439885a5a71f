#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <optional>

namespace torch::nn {

/// The base of modules that can be cloned. A clone is a copy of the object on which `reset()` has made new parameters,
/// buffers and submodules, which then get the values of the original's.
template <typename Derived>
class Cloneable : public Module {
 public:
  using Module::Module;

  /// Makes and registers all parameters, buffers and submodules.
  virtual void reset() = 0;

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override {
    auto copy = std::make_shared<Derived>(static_cast<const Derived&>(*this));
    copy->forget_members();
    copy->reset();
    copy->copy_members(*this, device);
    return copy;
  }

 private:
  void clone_(Module& other, const std::optional<Device>& device) final {
    auto clone = std::dynamic_pointer_cast<Derived>(other.clone(device));
    TORCH_CHECK(clone != nullptr,
                "Attempted to clone submodule, but it is of a different type than the submodule it was to be cloned "
                "into");
    static_cast<Derived&>(*this) = *clone;
  }
};

}  // namespace torch::nn
