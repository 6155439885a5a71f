#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

// Tests get their matchers from here.
#if __has_include(<gmock/gmock.h>)
#include <gmock/gmock.h>
#endif

#include <utility>

template <class Result, class... Args>
Result callOpUnboxed(const c10::OperatorHandle& op, Args... args) {
  return op.typed<Result(Args...)>().call(std::forward<Args>(args)...);
}
