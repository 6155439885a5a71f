#pragma once

#include <c10/core/DispatchKeySet.h>
#include <c10/core/InferenceMode.h>

namespace c10::impl {

// LibTorch's dispatcher has thread-local key sets; here they follow from the recording mode: inference mode
// excludes autograd, any other mode includes in-place and view tracking.

inline bool tls_is_dispatch_keyset_excluded(DispatchKeySet keys) {
  return InferenceMode::is_enabled() && autograd_dispatch_keyset.has_all(keys) && !keys.empty();
}
inline bool tls_is_dispatch_keyset_included(DispatchKeySet keys) {
  return !InferenceMode::is_enabled() && keys == DispatchKeySet(DispatchKey::ADInplaceOrView);
}
inline bool tls_is_dispatch_key_excluded(DispatchKey key) {
  return tls_is_dispatch_keyset_excluded(DispatchKeySet(key));
}
inline bool tls_is_dispatch_key_included(DispatchKey key) {
  return tls_is_dispatch_keyset_included(DispatchKeySet(key));
}

/// Only autograd's key can be excluded: nothing is recorded while the guard exists.
class ExcludeDispatchKeyGuard : AutoGradMode {
 public:
  explicit ExcludeDispatchKeyGuard(DispatchKeySet keys)
      : AutoGradMode(GradMode::is_enabled() && !keys.has_any(autograd_dispatch_keyset)) {}
  explicit ExcludeDispatchKeyGuard(DispatchKey key) : ExcludeDispatchKeyGuard(DispatchKeySet(key)) {}
};

}  // namespace c10::impl
