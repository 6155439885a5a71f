#pragma once

#include <minima/tensor/base/api.h>

#include <string>
#include <vector>

namespace minima::detail {

/// This thread's call stack as raw return addresses, without the two innermost frames. Cheap enough to record for every
/// operator; `describe_stack` turns it into text.
MINIMA_API std::string record_stack();

/// One line per frame, innermost first: the function, and its file and line where the program has debug information and
/// binutils' addr2line is installed. Functions have names where addr2line finds symbols or the dynamic linker knows
/// them (-rdynamic); otherwise the line gives file and offset, for addr2line on another machine. Inlined calls get
/// separate frames.
MINIMA_API std::string describe_stack(const std::string& stack);
/// The same lines of many stacks, without indentation; addr2line runs once for each library.
MINIMA_API std::vector<std::vector<std::string>> describe_stacks(const std::vector<std::string>& stacks);

}  // namespace minima::detail
