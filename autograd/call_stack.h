#pragma once

#include <minima/tensor/base/api.h>

#include <string>
#include <vector>

namespace minima::detail {

/// This thread's call stack as raw return addresses, without the two innermost frames. Cheap enough to record for every
/// operator; `describe_stack` turns it into text.
MINIMA_API std::string record_stack();

/// While it exists, the operators called on this thread compute a gradient; `stack` led to the operator whose gradient
/// it is. Null if it is not known.
class MINIMA_API CauseOfCalls {
 public:
  explicit CauseOfCalls(const std::string* stack);
  CauseOfCalls(const CauseOfCalls&) = delete;
  ~CauseOfCalls();

 private:
  const std::string* before_;
};
/// The call stack, followed by those that led to it, each after a null address.
MINIMA_API std::string record_stack_and_causes();
/// These stacks, the call's own first.
MINIMA_API std::vector<std::string> split_causes(const std::string& stacks);

/// One line per frame, innermost first: the function, and its file and line where the program has debug information and
/// binutils' addr2line is installed. Functions have names where addr2line finds symbols or the dynamic linker knows
/// them (-rdynamic); otherwise the line gives file and offset, for addr2line on another machine. Inlined calls get
/// separate frames.
MINIMA_API std::string describe_stack(const std::string& stack);
/// The same lines of many stacks, without indentation; addr2line runs once for each library.
MINIMA_API std::vector<std::vector<std::string>> describe_stacks(const std::vector<std::string>& stacks);

}  // namespace minima::detail
