#pragma once

#include <c10/core/DispatchKeySet.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>

namespace c10 {

/// A tensor's autograd state: see DifferentiableViewMeta (torch/csrc/autograd/variable.h).
struct AutogradMetaInterface {
  AutogradMetaInterface() = delete;
};

/// A storage's count of in-place changes.
struct VariableVersion {
  std::uint32_t current_version() const;
  bool enabled() const { return has_version; }

  std::uint32_t version = 0;
  bool has_version = true;  ///< false for tensors made in inference mode
};

/// Data that a custom backend attaches to tensors. minima has none, so it can only be derived from.
struct BackendMeta : intrusive_ptr_target {
  virtual intrusive_ptr<BackendMeta> clone(const intrusive_ptr<BackendMeta>& own) const { return own; }
};

/// The object that Tensor handles share, as `unsafeGetTensorImpl` gives it: the address identifies the tensor as long
/// as a handle exists. It is the library's object under LibTorch's name, so there is nothing to construct or derive
/// from.
struct TensorImpl {
  TensorImpl() = delete;

  AutogradMetaInterface* autograd_meta() const;
  VariableVersion version_counter() const;
  void bump_version();
  bool is_inference() const;
  bool requires_grad() const;
  std::int64_t dim() const;
  std::int64_t numel() const;
  DispatchKeySet key_set() const;

  // Custom backends: setting one's data throws.
  BackendMeta* get_backend_meta() const { return nullptr; }
  intrusive_ptr<BackendMeta> get_backend_meta_intrusive_ptr() const { return nullptr; }
  void set_backend_meta(const intrusive_ptr<BackendMeta>& meta);
  void shallow_copy_from(const TensorImpl* source);
};

}  // namespace c10
