#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>

namespace minima {

/// For hooks: calls `call` once the backward pass that runs on this thread has ended, the outermost one where passes
/// are nested, with whether it ended without an exception. What `call` throws is thrown by backward(). Called at once
/// where there is no pass.
MINIMA_API void after_backward(Function<void(bool completed)> call);

}  // namespace minima
