#pragma once

#include <c10/core/DispatchKeySet.h>
#include <c10/core/InferenceMode.h>

namespace c10::impl {

// Which keys of the dispatcher (torch/library.h) are left out on this thread follows from the recording mode and the
// guards: inference mode leaves out autograd, any other mode includes in-place and view tracking.

/// The keys that guards on this thread leave out.
DispatchKeySet& excluded_dispatch_keys();

inline bool tls_is_dispatch_keyset_excluded(DispatchKeySet keys) {
  const DispatchKeySet by_mode = InferenceMode::is_enabled() ? autograd_dispatch_keyset : DispatchKeySet();
  return (excluded_dispatch_keys() | by_mode).has_all(keys) && !keys.empty();
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

/// Leaves out keys while it exists. Without autograd's nothing is recorded.
class ExcludeDispatchKeyGuard : AutoGradMode {
 public:
  explicit ExcludeDispatchKeyGuard(DispatchKeySet keys)
      : AutoGradMode(GradMode::is_enabled() && !keys.has_any(autograd_dispatch_keyset)),
        before_(excluded_dispatch_keys()) {
    excluded_dispatch_keys() = before_ | keys;
  }
  explicit ExcludeDispatchKeyGuard(DispatchKey key) : ExcludeDispatchKeyGuard(DispatchKeySet(key)) {}
  ExcludeDispatchKeyGuard(const ExcludeDispatchKeyGuard&) = delete;
  ~ExcludeDispatchKeyGuard() { excluded_dispatch_keys() = before_; }

 private:
  DispatchKeySet before_;
};

}  // namespace c10::impl
