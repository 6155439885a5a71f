#pragma once

#include <minima/tensor/base/api.h>

#include <string>

namespace minima::detail {

/// The call stack of this thread, without the caller and its caller: return addresses as bytes. Cheap enough for every
/// operator; `describe_stack` makes text of it.
MINIMA_API std::string record_stack();

/// One line per frame, innermost first: the function, and its file and line where the program has debug information and
/// binutils' addr2line is installed. Functions have names where addr2line finds symbols or the dynamic linker knows
/// them (-rdynamic); else there is the place in the file, for addr2line on another machine. Inlined calls are frames,
/// too.
MINIMA_API std::string describe_stack(const std::string& stack);

}  // namespace minima::detail
