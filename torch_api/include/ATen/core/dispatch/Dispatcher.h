#pragma once

#include <torch/library.h>

namespace c10 {

/// An operator in a dispatcher, which does not exist here (torch/library.h).
struct OperatorHandle {
  template <class Signature>
  struct Typed {
    template <class... Args>
    auto call(Args&&...) const {
      return result(static_cast<Signature*>(nullptr));
    }

   private:
    template <class R, class... Args>
    static R result(R (*)(Args...)) {
      torch::detail::refuse_registration("call");
    }
  };
  template <class Signature>
  Typed<Signature> typed() const {
    return {};
  }
};

struct Dispatcher {
  static Dispatcher& singleton();
  OperatorHandle findSchemaOrThrow(const char* name, const char* overload);
};

}  // namespace c10
