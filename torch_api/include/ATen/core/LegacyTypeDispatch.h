#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at {

/// Operators that run while it exists are not recorded, and those of torch::Library run below their Autograd kernels.
struct AutoDispatchBelowAutograd : c10::impl::ExcludeDispatchKeyGuard {
  AutoDispatchBelowAutograd() : ExcludeDispatchKeyGuard(c10::autograd_dispatch_keyset) {}
};
/// The same, also below ADInplaceOrView.
struct AutoDispatchBelowADInplaceOrView : c10::impl::ExcludeDispatchKeyGuard {
  AutoDispatchBelowADInplaceOrView()
      : ExcludeDispatchKeyGuard(c10::autograd_dispatch_keyset.add(c10::DispatchKey::ADInplaceOrView)) {}
};
struct AutoDispatchSkipFunctionalize {};

/// Warns: InferenceMode is what programs want.
struct AutoNonVariableTypeMode : c10::NoGradGuard {
  explicit AutoNonVariableTypeMode(bool enabled = true);
};

}  // namespace at
