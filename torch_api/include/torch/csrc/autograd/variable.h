#pragma once

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/TensorImpl.h>
#include <torch/core/tensor.h>
#include <torch/csrc/autograd/InferenceMode.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/grad_mode.h>

#include <vector>

namespace torch::autograd {

using Variable = at::Tensor;
using variable_list = std::vector<Variable>;
using tensor_list = std::vector<at::Tensor>;
using at::TensorList;

/// How a view was made. Views made without recording, under NoGradGuard or InferenceMode, count as NO_GRAD_MODE.
enum class CreationMeta : std::uint8_t { DEFAULT, IN_CUSTOM_FUNCTION, MULTI_OUTPUT_NODE, NO_GRAD_MODE, INFERENCE_MODE };

/// The autograd state of a view, which is the library's tensor under another name (c10::TensorImpl).
struct DifferentiableViewMeta : c10::AutogradMetaInterface {
  bool has_bw_view() const;
  CreationMeta get_creation_meta() const;
};

/// The same data without history. Metadata may change in any case.
Variable make_variable(const at::Tensor& data, bool requires_grad = false, bool allow_tensor_metadata_change = true);

namespace impl {
/// Where a tensor's gradient goes: an output of its grad_fn, or its leaf.
Edge gradient_edge(const Variable& tensor);
/// Makes the tensor output `edge.input_nr` of the edge's node, in place of the history that it has.
void set_gradient_edge(const Variable& tensor, const Edge& edge);
/// The node that accumulates a leaf's gradient; null for other tensors.
std::shared_ptr<Node> grad_accumulator(const Variable& tensor);
inline std::uint32_t version_counter(const Variable& tensor) { return static_cast<std::uint32_t>(tensor._version()); }
}  // namespace impl

}  // namespace torch::autograd
