#pragma once

#include "tests/support/draw.h"
#include "tests/support/table_function.h"

#include <deque>
#include <string>
#include <typeinfo>
#include <vector>

// One table of cases per operator. Every check that can be derived from it becomes a separate test.
//
//   using namespace minima::test;
//   const bool softmax_cases = OpCases("softmax")
//       .dtypes(floating_dtypes())
//       .on([](In in) { return softmax(in[0], -1); }, reference_softmax)
//       .inputs(normal({4, 7}))
//       .inputs(normal({0, 7}))
//       .inputs(normal({300, 500}))
//       .error<IndexError>([] { softmax(empty({2}), 1); }, "softmax: …")
//       .check();
//
// gives the tests SoftmaxCases.MatchesTheReference, .TakesExactlyItsDtypes, .GradientMatchesDifferences and so on
// (tests/ops/checks). Each row of inputs is tried in all layouts of Form; rows of up to 64 elements also go through
// gradcheck and gradgradcheck.

namespace minima::test {

using In = const std::vector<Tensor>&;
using Call = TableFunction<std::vector<Tensor>(In)>;
using HugeCall = TableFunction<void(std::int64_t)>;
using UndefinedCall = TableFunction<void(const Tensor& none)>;

std::vector<DType> all_dtypes();
std::vector<DType> numeric_dtypes();  ///< all but bool
std::vector<DType> integer_dtypes();
std::vector<DType> floating_dtypes();
std::vector<DType> full_floating_dtypes();  ///< float32, float64

/// Maps the case's dtype to an output's.
using DTypeRule = DType (*)(DType);
DType same_dtype(DType dtype);
/// Integers and bool become float32.
DType floating_dtype(DType dtype);
/// Integers and bool become int64, as in sums.
DType summed_dtype(DType dtype);
template <DType fixed>
DType always(DType) {
  return fixed;
}

/// The memory layout of the first output.
enum class ResultLayout : std::uint8_t {
  unspecified,
  row_major,
  like_input,  ///< the order of the first input that has the result's shape, without gaps
  images,      ///< channels_last if the first input or any other of rank 4 is, else row-major
  convolved,   ///< channels_last on the CPU; as `images` on a GPU
};

/// One way to call the operator, and its inputs.
struct OpCall {
  std::string text;  ///< the attributes, for messages
  Call call;
  Reference reference;
  std::vector<std::vector<Draw>> rows;
  TableFunction<void(In)> in_place;  ///< changes in[0]
  double contraction = 0;            ///< the number of products that are summed, 0 for none
  std::string pytorch{};             ///< the same call in Python, or empty
  std::string recording{};           ///< the name of PyTorch's results where it isn't made of the table's and `text`
  Reference rounded_products{};      ///< see OpCases::rounds_a_factor; or empty
};

/// A call compared with PyTorch on inputs that are recorded, not drawn.
struct RecordedCall {
  std::string name, pytorch;
  Call call;
};

struct BadCall {
  TableFunction<void()> call;
  std::string text;
  std::string type;
  bool (*is_type)(const std::exception&);
};

class OpCases {
 public:
  explicit OpCases(std::string name) : name_(std::move(name)) {}

  /// The dtypes that the operator takes; it must throw DTypeError for any other. Default: floating_dtypes().
  OpCases& dtypes(std::vector<DType> claimed);
  /// The dtype of all outputs or of one. Default: the case's.
  OpCases& result_dtype(DTypeRule rule);
  OpCases& result_dtype(int output, DTypeRule rule);
  OpCases& result_layout(ResultLayout layout);
  /// What autocast does to the inputs: "lower precision", "float32" or "widest". Default: nothing. The claim is that of
  /// PyTorch's lists for CUDA (aten/src/ATen/autocast_mode.h) wherever the operator is in them.
  OpCases& autocast(std::string policy) { return autocast_ = std::move(policy), *this; }
  /// Outputs never require grad.
  OpCases& no_gradient();
  /// create_graph throws `create_graph is not available …`.
  OpCases& first_order_only();
  /// A recorded call computes the gradient too; only gradients of the gradient use what it saves.
  OpCases& gradient_in_forward() {
    gradient_in_forward_ = true;
    return *this;
  }
  /// Input `i` may be undefined.
  OpCases& optional_input(int i);
  /// Multiplies every tolerance, for formulas that inevitably lose digits.
  OpCases& tolerance(double factor);
  /// The gradient is a difference that can cancel to 0 (as a norm's does for a constant upstream gradient), so its
  /// absolute tolerance does not shrink with its size.
  OpCases& gradient_cancels() {
    gradient_cancels_ = true;
    return *this;
  }
  /// On a GPU cuDNN computes it or its gradients. Its default engines may vary from run to run, so only
  /// deterministic(true) asks for the same bits.
  OpCases& by_cudnn() { return by_cudnn_ = true, *this; }
  /// The table's inputs and outputs are the parts of complex ones.
  OpCases& of_parts() { return of_parts_ = true, *this; }
  /// Another function that the table calls and that error messages may name.
  OpCases& also_calls(std::string function) { return functions_.push_back(std::move(function)), *this; }
  /// The header of the function, `ops/convolution/fold.h`, where another one declares a function of the same name.
  OpCases& declared_in(std::string header) { return header_ = std::move(header), *this; }
  /// Why the table lacks rows of some sort: "empty", "large", "complex", an exception such as "IndexError", or "errors"
  /// for all; or a check: "differences" where the gradient is not the derivative.
  OpCases& without(const std::string& kind, const std::string& reason);

  /// Adds a way to call the operator. `call` returns a Tensor or a vector of them, `reference` Doubles or a vector.
  template <class F, class R>
  OpCases& on(F call, R reference, const std::string& text = "") {
    calls_.push_back({text, as_call(std::move(call)), as_reference(std::move(reference)), {}, {}, 0});
    return *this;
  }
  /// A row of inputs for the last call.
  template <class... Draws>
  OpCases& inputs(const Draws&... draws) {
    calls_.back().rows.push_back({Draw(draws)...});
    return *this;
  }
  /// The same for a number of inputs that is computed.
  OpCases& row(std::vector<Draw> draws) { return calls_.back().rows.push_back(std::move(draws)), *this; }
  /// The rows for a pointwise operator of `count` inputs, drawn like `like`: small, rank 0, rank 4, empty, broadcast
  /// and large ones. `with_specials` adds all combinations of NaN, infinities and so on (floating dtypes only).
  OpCases& pointwise_inputs(int count, const Draw& like = {}, bool with_specials = true);
  /// The in-place form, which must leave in in[0] what the call returns.
  OpCases& in_place(TableFunction<void(In)> form);
  /// The call sums `terms` products: the tolerance is 4·eps·√terms·(the reference of the inputs' absolute values).
  OpCases& contraction(double terms);
  /// On a GPU the call rounds numbers that it computes to the inputs' half type and then multiplies them, since tensor
  /// cores take no wider factors: attention's weights. `magnitude` returns Σ|products| for each output, of which the
  /// tolerance grows by half an epsilon.
  template <class R>
  OpCases& rounds_a_factor(R magnitude) {
    calls_.back().rounded_products = as_reference(std::move(magnitude));
    return *this;
  }
  /// The call in PyTorch, a Python function of its inputs: "torch.frac" or "lambda x: F.celu(x, 0.5)". Its results are
  /// recorded by tests/fixtures/generate_operators.py and compared by all_operators/pytorch_test.cpp.
  /// The recording has the table's name, with the call's text if it has one, or the `recording` given.
  OpCases& pytorch(std::string function, std::string recording = "") {
    calls_.back().pytorch = std::move(function), calls_.back().recording = std::move(recording);
    return *this;
  }
  /// A call with other attributes than the rows have, compared with PyTorch on the inputs of the recording `name`.
  template <class F>
  OpCases& recorded(std::string name, std::string pytorch, F call) {
    recorded_.push_back({std::move(name), std::move(pytorch), as_call(std::move(call))});
    return *this;
  }

  /// Calls the operator with a size, position or dimension, for which all_operators/huge_attributes_test.cpp passes
  /// numbers up to ±2^63. Every such parameter needs a row.
  OpCases& huge(HugeCall call) { return huge_.push_back(std::move(call)), *this; }

  /// Calls a form of the operator that no row covers, such as an overload for numbers, with an undefined tensor, which
  /// it must refuse.
  OpCases& undefined(UndefinedCall call) { return undefined_.push_back(std::move(call)), *this; }

  /// Adds rows in a loop.
  OpCases& with(const TableFunction<void(OpCases&)>& add) { return add(*this), *this; }

  /// A bad call and the exact text of its exception.
  template <class E>
  OpCases& error(TableFunction<void()> call, std::string text) {
    bad_calls_.push_back({std::move(call), std::move(text), type_name<E>(),
                          [](const std::exception& e) { return dynamic_cast<const E*>(&e) != nullptr; }});
    return *this;
  }

  /// Registers the tests. Returns true, so that a table can be a constant.
  bool check();

  // --- for the checks ---
  const std::string& name() const { return name_; }
  const std::string& header() const { return header_; }  ///< empty if no other declares such a name
  const std::vector<OpCall>& calls() const { return calls_; }
  const std::vector<BadCall>& bad_calls() const { return bad_calls_; }
  const std::vector<DType>& dtypes() const { return dtypes_; }
  bool claims(DType dtype) const;
  DType result_dtype_of(int output, DType dtype) const;
  ResultLayout result_layout() const { return layout_; }
  const std::string& autocast() const { return autocast_; }
  const std::vector<RecordedCall>& recorded_calls() const { return recorded_; }
  const std::vector<HugeCall>& huge_calls() const { return huge_; }
  const std::vector<UndefinedCall>& undefined_calls() const { return undefined_; }
  bool has_gradient() const { return has_gradient_; }
  bool is_first_order_only() const { return first_order_only_; }
  bool is_gradient_in_forward() const { return gradient_in_forward_; }
  bool is_optional(int input) const;
  bool is_of_parts() const { return of_parts_; }
  /// Whether results may differ from run to run on the test device, by less than the tolerance.
  bool may_vary() const;
  double tolerance_factor() const { return tolerance_; }
  bool does_gradient_cancel() const { return gradient_cancels_; }
  bool does_without(const std::string& kind) const;
  const std::vector<std::string>& other_functions() const { return functions_; }

 private:
  template <class F>
  static Call as_call(F f) {
    if constexpr (!std::is_same_v<std::invoke_result_t<F, In>, Tensor>) return Call(std::move(f));
    else if constexpr (std::is_empty_v<F>) return [](In in) { return std::vector<Tensor>{F()(in)}; };
    else return [f](In in) { return std::vector<Tensor>{f(in)}; };
  }
  template <class F>
  static Reference as_reference(F f) {
    using Inputs = const std::vector<Doubles>&;
    if constexpr (!std::is_same_v<std::invoke_result_t<F, Inputs>, Doubles>) return Reference(std::move(f));
    else if constexpr (std::is_empty_v<F>) return [](Inputs in) { return std::vector<Doubles>{F()(in)}; };
    else return [f](Inputs in) { return std::vector<Doubles>{f(in)}; };
  }
  template <class E>
  static std::string type_name() {
    return readable(typeid(E).name());
  }
  static std::string readable(const char* mangled);

  std::string name_, header_;
  std::vector<OpCall> calls_;
  std::vector<BadCall> bad_calls_;
  std::vector<DType> dtypes_ = floating_dtypes();
  DTypeRule rule_ = same_dtype;
  std::vector<std::pair<int, DTypeRule>> rules_;
  ResultLayout layout_ = ResultLayout::unspecified;
  std::string autocast_;
  bool has_gradient_ = true;
  bool first_order_only_ = false;
  bool gradient_in_forward_ = false;
  std::vector<int> optional_;
  double tolerance_ = 1;
  bool gradient_cancels_ = false;
  bool of_parts_ = false;
  bool by_cudnn_ = false;
  std::vector<std::string> without_, functions_;
  std::vector<RecordedCall> recorded_;
  std::vector<HugeCall> huge_;
  std::vector<UndefinedCall> undefined_;
};

/// All registered tables.
const std::deque<OpCases>& all_op_cases();

/// The rows of a function whose results no table describes, such as `rand` or `empty_like`: it must withstand huge
/// attributes and refuse undefined tensors.
///
///   const bool randperm_calls = FunctionCases("randperm").huge([](auto n) { randperm(n); }).check();
class FunctionCases {
 public:
  explicit FunctionCases(std::string name) : name_(std::move(name)) {}
  FunctionCases& huge(HugeCall call) { return huge_.push_back(std::move(call)), *this; }
  FunctionCases& undefined(UndefinedCall call) { return undefined_.push_back(std::move(call)), *this; }
  FunctionCases& with(const TableFunction<void(FunctionCases&)>& add) { return add(*this), *this; }
  bool check();

  const std::string& name() const { return name_; }
  const std::vector<HugeCall>& huge_calls() const { return huge_; }
  const std::vector<UndefinedCall>& undefined_calls() const { return undefined_; }

 private:
  std::string name_;
  std::vector<HugeCall> huge_;
  std::vector<UndefinedCall> undefined_;
};

/// All functions with such rows.
const std::deque<FunctionCases>& all_function_cases();

/// An uninitialised tensor, for calls that must fail.
Tensor sized(const Shape& shape, DType dtype = float32);

/// 2^63 - 1 ones that share the memory of one, for calls with huge attributes.
Tensor endless();

}  // namespace minima::test
