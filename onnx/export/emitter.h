#pragma once

#include <minima/io/onnx/graph.h>
#include <minima/onnx/export/recording.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

// Writes recorded operators as ONNX nodes. Internal.

namespace minima::onnx::detail {

/// An attribute of a node to write.
using Named = std::pair<std::string, Attribute>;
Named integer(const char* name, std::int64_t value);
Named integers(const char* name, const Shape& values);
Named number(const char* name, double value);
Named word(const char* name, const std::string& value);
Named words(const char* name, const std::vector<std::string>& values);
Named tensor(const char* name, const Tensor& value);

/// f of each element.
template <class T, class F>
auto each(const std::vector<T>& elements, F f) {
  std::vector<decltype(f(elements.front()))> results;
  results.reserve(elements.size());
  for (const T& element : elements) results.push_back(f(element));
  return results;
}

/// A size of an input that changes from call to call, and its values in the runs.
struct Symbol {
  std::string name;
  int input, dim;
  std::vector<std::int64_t> sizes;
};

/// The layout of a complex tensor's parts, which are pairs in a last dimension of the real tensor that stands for it in
/// the graph.
Layout layout_of_parts(const Layout& layout);

/// The runs of one module with different sizes, and the graph that says what all of them do. A number that differs
/// between the runs is written as an expression of the symbols.
class Emitter {
 public:
  Emitter(std::vector<Recording> runs, std::vector<Symbol> symbols, std::int64_t opset);

  /// Translates everything that the outputs need.
  void translate(const std::vector<std::string>& input_names, const std::vector<std::string>& output_names);
  Graph take() { return std::move(graph_); }
  /// The initializers that the graph uses.
  const std::set<std::string>& used() const { return used_; }

  std::int64_t opset() const { return opset_; }

  // --- the call that is translated ---
  const RecordedCall& call() const { return runs_[0].calls[at_]; }
  std::size_t count() const { return call().inputs.size(); }
  bool has(std::size_t i) const { return i < count() && call().inputs[i] >= 0; }
  /// The ONNX name of input i, converted to a dtype.
  std::string in(std::size_t i);
  std::string in(std::size_t i, DType dtype);
  const RecordedValue& input(std::size_t i, std::size_t run = 0) const;
  const RecordedValue& output(std::size_t i = 0, std::size_t run = 0) const;
  std::int64_t integer(const char* name) const;
  double number(const char* name) const;
  std::string word(const char* name) const;
  Shape list(const char* name) const;
  /// A number of each run.
  std::vector<double> numbers(const char* name) const;
  bool has_integer(const char* name) const { return call().attributes.integers.contains(name); }
  bool has_number(const char* name) const { return call().attributes.numbers.contains(name); }
  /// A number that an operator tells as an integer or not.
  double value(const char* name) const;
  /// The same as a tensor of rank 0; an integer may change with the sizes of the inputs.
  std::string scalar(const char* name, DType dtype);
  /// Whether something reads an output.
  bool wants(std::size_t output) const;
  void bind(const std::string& name, std::size_t output = 0);
  /// The call that a value comes from, or null, and its ONNX name.
  const RecordedCall* maker(int number) const;
  std::string name(int number) { return name_of(number); }
  /// Whether a value is a constant of rank 0, or has the shape and dtype of output 0.
  bool is_number(int number) const { return number >= 0 && recorded(number).shape.rank() == 0 && is_constant(number); }
  bool is_like(int number) const {
    return recorded(number).shape == output().shape && recorded(number).dtype == output().dtype;
  }
  const Shape& shape_of(int number) const { return recorded(number).shape; }
  DType dtype_of(int number) const { return recorded(number).dtype; }
  /// Throws ValueError: the operator, the module, the opset and the reason.
  [[noreturn]] void refuse(const std::string& reason) const;

  // --- nodes ---
  std::string node(const char* op, const std::vector<std::string>& inputs,
                   std::initializer_list<Named> attributes = {});
  std::vector<std::string> nodes(const char* op, const std::vector<std::string>& inputs,
                                 std::initializer_list<Named> attributes, std::size_t outputs);
  std::string constant(const Tensor& value);
  std::string constant(double value, DType dtype);
  std::string constant(const Shape& values);
  std::string cast(const std::string& x, DType from, DType to);
  /// Whether a value comes from outside of the graph, and all its elements are equal, the same in all runs.
  bool is_uniform(int number) const;
  /// Such a value in another shape.
  std::string repeated(int number, const std::vector<Shape>& shapes);
  std::string transposed_last(const std::string& x, int rank);

  // --- sizes ---
  std::size_t runs() const { return runs_.size(); }
  /// The same in all runs?
  static bool agree(const std::vector<std::int64_t>& values);
  /// The padding behind each dimension of a call that puts `before` in front. Refused if it changes from run to run.
  Shape padding_behind(const Shape& before);
  /// One value for each run, as an int64 tensor [1].
  std::string size(const std::vector<std::int64_t>& values);
  /// The shapes of output 0 of a call in each run, and of inputs.
  std::vector<Shape> output_shapes(std::size_t i = 0) const;
  std::vector<Shape> input_shapes(std::size_t i) const;
  /// The layouts of a view, before and after.
  std::pair<const Layout&, const Layout&> layouts(std::size_t run) const {
    const RecordedCall& view = runs_[run].calls[at_];
    return {view.before, view.after};
  }
  /// A shape for each run, as an int64 tensor.
  std::string shape(const std::vector<Shape>& shapes);
  /// x reshaped: from[r] to to[r] in run r. Sizes that stay where they are, and one other, need no expression.
  std::string reshape(const std::string& x, const std::vector<Shape>& from, const std::vector<Shape>& to);

 private:
  void check_runs() const;
  void prune();
  void find_needed(std::vector<bool>& needed);
  bool is_constant(int number) const;
  bool is_complex_call() const;
  std::string name_of(int number);
  std::string varying_constant(int number);
  std::string unique(const std::string& wanted);
  std::string size_of_symbol(std::size_t symbol);
  Value described(int number, const std::string& name) const;
  const RecordedValue& recorded(int number, std::size_t run = 0) const {
    return runs_[run].values[static_cast<std::size_t>(number)];
  }

  std::vector<Recording> runs_;
  std::vector<Symbol> symbols_;
  std::int64_t opset_;
  std::size_t at_ = 0;
  Graph graph_;
  std::vector<std::string> names_;  ///< of values
  std::vector<bool> wanted_;        ///< values that something in the graph reads
  std::vector<std::string> input_names_;
  std::map<std::string, int> taken_;
  std::map<std::string, std::string> known_;  ///< constants and sizes by their content
  std::set<std::string> used_;
};

using Translation = std::function<void(Emitter&)>;
using Translations = std::map<std::string, Translation>;
void add_pointwise(Translations& translations);
void add_products(Translations& translations);
void add_windows(Translations& translations);
void add_norms(Translations& translations);
void add_reducing(Translations& translations);
void add_indexing(Translations& translations);
void add_sequences(Translations& translations);
void add_losses(Translations& translations);
void add_patches(Translations& translations);
/// The tables' calls with complex tensors.
void add_complex(Translations& translations);
void translate_view(Emitter& e);
void translate_write(Emitter& e);
/// Why an operator has no translation, as the end of a sentence.
std::string reason_for(const std::string& op);

}  // namespace minima::onnx::detail
