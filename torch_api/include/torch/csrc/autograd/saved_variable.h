#pragma once

#include <torch/csrc/autograd/function.h>

#include <memory>
#include <optional>

namespace torch::autograd {

/// A tensor that a program's own Node keeps for backward, without the cycle that an output of that node would make.
/// `is_output` tells that the tensor will be an output of the node; unpack() then takes the node.
class SavedVariable {
 public:
  SavedVariable();
  SavedVariable(const Variable& tensor, bool is_output, bool is_inplace_on_view = false);
  SavedVariable(const std::optional<Variable>& tensor, bool is_output, bool is_inplace_on_view = false)
      : SavedVariable(tensor ? *tensor : Variable(), is_output, is_inplace_on_view) {}
  SavedVariable(SavedVariable&& other) noexcept;
  SavedVariable& operator=(SavedVariable&& other) noexcept;
  ~SavedVariable();

  /// The tensor, with its history if gradients are recorded; undefined if none was saved. Throws if it has been changed
  /// in place meanwhile, or freed by reset_data().
  Variable unpack(const std::shared_ptr<Node>& saved_for = nullptr) const;
  void reset_data();

 private:
  struct Saved;
  std::unique_ptr<Saved> saved_;
};

}  // namespace torch::autograd
