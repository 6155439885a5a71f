#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at {

/// Operators that run while it exists are not recorded.
struct AutoDispatchBelowAutograd : c10::NoGradGuard {};
struct AutoDispatchBelowADInplaceOrView : c10::NoGradGuard {};
struct AutoDispatchSkipFunctionalize {};

/// Warns: InferenceMode is what programs want.
struct AutoNonVariableTypeMode : c10::NoGradGuard {
  explicit AutoNonVariableTypeMode(bool enabled = true);
};

}  // namespace at
