#include <c10/core/TensorImpl.h>

#include <torch/csrc/autograd/variable.h>

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/util/Exception.h>

#include <minima/tensor/tensor_impl.h>

// The library's objects under LibTorch's names.

namespace c10 {

namespace {
minima::TensorImpl& native(TensorImpl& impl) { return reinterpret_cast<minima::TensorImpl&>(impl); }
const minima::TensorImpl& native(const TensorImpl& impl) { return reinterpret_cast<const minima::TensorImpl&>(impl); }
}  // namespace

std::uint32_t VariableVersion::current_version() const {
  TORCH_CHECK(has_version, "Inference tensors do not track version counter.");
  return version;
}

AutogradMetaInterface* TensorImpl::autograd_meta() const {
  return reinterpret_cast<AutogradMetaInterface*>(const_cast<TensorImpl*>(this));
}
VariableVersion TensorImpl::version_counter() const {
  return {.version = native(*this).storage->version(), .has_version = !is_inference()};
}
void TensorImpl::bump_version() {
  TORCH_CHECK(
      !is_inference() || InferenceMode::is_enabled(),
      "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
      "tensor before doing inplace update.");
  if (!is_inference()) native(*this).storage->bump_version();
}
bool TensorImpl::is_inference() const { return native(*this).inference; }
bool TensorImpl::requires_grad() const {
  const minima::History* const history = native(*this).history;
  return history && history->requires_grad();
}
std::int64_t TensorImpl::dim() const { return native(*this).layout.rank(); }
std::int64_t TensorImpl::numel() const { return native(*this).layout.numel(); }
DispatchKeySet TensorImpl::key_set() const {
  const DispatchKeySet device(native(*this).storage->device().is_cuda() ? DispatchKey::CUDA : DispatchKey::CPU);
  return is_inference() ? device : device.add(DispatchKey::ADInplaceOrView).add(DispatchKey::Autograd);
}

}  // namespace c10

namespace at {

c10::TensorImpl* Tensor::unsafeGetTensorImpl() const { return reinterpret_cast<c10::TensorImpl*>(tensor_.impl()); }

AutoNonVariableTypeMode::AutoNonVariableTypeMode(bool) {
  TORCH_WARN_ONCE(
      "AutoNonVariableTypeMode is deprecated and will be removed in 1.10 release. For kernel implementations please "
      "use "
      "AutoDispatchBelowADInplaceOrView instead, If you are looking for a user facing API to enable running your "
      "inference-only workload, please use c10::InferenceMode.");
}

}  // namespace at

namespace torch::autograd {

namespace {
const minima::TensorImpl& native(const DifferentiableViewMeta& meta) {
  return reinterpret_cast<const minima::TensorImpl&>(meta);
}
}  // namespace

bool DifferentiableViewMeta::has_bw_view() const { return native(*this).base; }
CreationMeta DifferentiableViewMeta::get_creation_meta() const {
  return native(*this).unrecorded_view ? CreationMeta::NO_GRAD_MODE : CreationMeta::DEFAULT;
}

Variable make_variable(const at::Tensor& data, bool requires_grad, bool) {
  Variable result = data.defined() ? data.detach() : at::Tensor();
  if (requires_grad && result.defined()) result.set_requires_grad(true);
  return result;
}

}  // namespace torch::autograd
