#pragma once

#include <minima/nn/module/module_base.h>
#include <minima/profiler/causes/value_trace.h>
#include <minima/tensor/base/api.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

/// An operator call of a step that autograd recorded.
struct SurveyedCall {
  struct Input {
    std::uint64_t node = 0;     ///< the number of the call that made it; 0: a constant or a leaf
    bool has_gradient = false;  ///< constants have none, and their shapes are unknown
    Shape shape = {};
  };
  std::string op, module;
  std::uint64_t node = 0;  ///< its number
  Shape shape = {};        ///< of the first output
  DType dtype = DType::float32;
  double bytes = 0;  ///< of the first output
  std::vector<Input> inputs = {};
  std::string stack = {};  ///< of record_stack (autograd/call_stack.h)
};

/// `model.cpp:42`: the innermost line of the program, outside of minima, that made this call. Empty where the program
/// has no debug information or binutils' addr2line is missing.
MINIMA_API std::string place_of(const SurveyedCall& call);

/// Lists the calls of a thread's steps as they are recorded.
class Survey final : private detail::ValueTrace {
 public:
  explicit Survey(nn::ModuleBase& network) { watch(network); }
  /// Ends the step.
  std::vector<SurveyedCall> calls();

 private:
  void see(const Origin& origin, const Tensor& value) override;
  void recorded(const Origin& origin, const Node& node) override;

  std::vector<SurveyedCall> calls_;
  double bytes_ = 0;  ///< of the pending call's first output
  std::string stack_;
};

}  // namespace minima::profiler
