#pragma once

#include <minima/nn/module/module_base.h>
#include <minima/tensor/layout/layout.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

// One run of a module as a list of operators with their tensors. Internal.

namespace minima::onnx::detail {

/// Holds what an operator tells of itself (ops/core/operator_call.h).
struct Attributes {
  std::map<std::string, std::int64_t> integers;
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;
  std::map<std::string, Shape> lists;
  bool are_known = false;  ///< the operator has told them
};

/// The name of what makes a view of a tensor, whose layouts say which one.
inline constexpr const char* view_name = "view";
/// The name of what writes a view (input 1) into the tensor that it is of (input 0).
inline constexpr const char* write_name = "write";

/// The name of what takes x[places] along dimension 0, for any rank of x (input 0).
inline constexpr const char* gather_name = "gather_rows";

struct RecordedCall {
  std::string op;
  std::vector<int> inputs;  ///< numbers of values; -1 is undefined
  std::vector<int> outputs;
  Attributes attributes{};
  std::string module{};      ///< the path of the innermost module that was running
  Layout before{}, after{};  ///< of a view, and of what it is of
};

struct RecordedValue {
  enum class Source : std::uint8_t { input, initializer, constant, call };
  Source source = Source::constant;
  int index = 0;       ///< of the input or call
  std::string name{};  ///< of the initializer
  Shape shape{};
  DType dtype = DType::float32;
  bool varies = false;  ///< it depends on an input or initializer
  bool on_inputs = false;
  Tensor tensor{};  ///< the value after the run; undefined if it was changed in place later
};

struct Recording {
  std::vector<RecordedCall> calls;
  std::vector<RecordedValue> values;
  std::vector<int> outputs;
};

using Forward = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Runs `forward`, a call of `root`, without recording gradients. Throws ValueError if the program reads a value that
/// depends on the inputs, or changes one in place that other tensors share.
Recording record(const nn::ModuleBase& root, const std::vector<Tensor>& inputs, const Forward& forward);

/// Whether layouts are equal for all elements: strides of dimensions of size 1 have no meaning, nor have those of empty
/// views.
bool same_elements(const Layout& a, const Layout& b);

/// Lets the calls of all runs, which must be the same, read one value where several have the same elements and shape,
/// and an embedding between two reshapes be one call.
void share_values(std::vector<Recording>& runs);

}  // namespace minima::onnx::detail
