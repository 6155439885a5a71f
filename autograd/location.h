#pragma once

#include <minima/tensor/api.h>

#include <string>

namespace minima::detail {

/// The call stack of this thread as text, innermost first, without the library's own recording frames.
MINIMA_API std::string here();

}  // namespace minima::detail
