#pragma once

#include <minima/io/onnx/graph.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

// ONNX's operators by minima's. Internal.

namespace minima::onnx {

/// The opset that a node gets if its model names none: that of ONNX's newest definitions here.
inline constexpr std::int64_t newest_opset = 28;

/// What a node is called with. Inputs and attributes are ticked off as they are read: what is left over was ignored,
/// and the result would be another operator's.
class Call {
 public:
  Call(const Node& node, std::vector<Tensor> inputs, std::int64_t opset = newest_opset, std::uint32_t constants = 0)
      : node_(&node), inputs_(std::move(inputs)), opset_(opset), constants_(constants), read_(inputs_.size()) {}
  /// Throws ValueError if there is no input i.
  const Tensor& operator[](std::size_t i) const {
    if (!has(i)) refuse_missing(i);
    read_[i] = true;
    return inputs_[i];
  }
  std::size_t count() const { return inputs_.size(); }
  bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i].defined(); }
  /// Whether input i is the same in every call.
  bool is_constant(std::size_t i) const { return i < 32 && ((constants_ >> i) & 1) != 0; }
  const std::vector<Tensor>& inputs() const {
    read_.assign(inputs_.size(), true);
    return inputs_;
  }
  std::size_t outputs() const { return node_->outputs.size(); }
  /// The version of the operators' definitions that the model was written for.
  std::int64_t opset() const { return opset_; }
  /// Throws ValueError for the first input or attribute that was never read.
  void check_all_read() const;

  bool has(const char* name) const { return node_->attributes.contains(name); }
  std::int64_t i(const char* name, std::int64_t otherwise = 0) const { return has(name) ? at(name).i : otherwise; }
  double f(const char* name, double otherwise = 0) const { return has(name) ? at(name).f : otherwise; }
  std::string s(const char* name, const char* otherwise = "") const { return has(name) ? at(name).s : otherwise; }
  /// One of the words that the operator knows, the first if there is none; throws ValueError for any other.
  std::string word(const char* name, const std::vector<std::string>& known) const;
  std::vector<std::int64_t> ints(const char* name, std::vector<std::int64_t> otherwise = {}) const {
    return has(name) ? at(name).ints : otherwise;
  }
  std::vector<float> floats(const char* name) const { return has(name) ? at(name).floats : std::vector<float>(); }
  std::vector<std::string> strings(const char* name) const {
    return has(name) ? at(name).strings : std::vector<std::string>();
  }
  Tensor t(const char* name) const { return has(name) ? at(name).t : Tensor(); }
  /// Integers that newer versions give as input i and older ones as an attribute.
  std::vector<std::int64_t> list(std::size_t input, const char* name) const {
    return has(input) ? (*this)[input].to_vector<std::int64_t>() : ints(name);
  }

 private:
  [[noreturn]] void refuse_missing(std::size_t i) const;
  const Attribute& at(const char* name) const {
    names_read_.insert(name);
    return node_->attributes.at(name);
  }
  const Node* node_;
  std::vector<Tensor> inputs_;
  std::int64_t opset_;
  std::uint32_t constants_;
  mutable std::vector<bool> read_;
  mutable std::set<std::string> names_read_;
};

using Implementation = std::function<std::vector<Tensor>(const Call&)>;
using Operators = std::map<std::string, Implementation>;

/// An operator with one result, f(call).
template <class F>
Implementation call(F f) {
  return [f](const Call& in) { return std::vector<Tensor>{f(in)}; };
}

/// The operator of a node, or the reason why there is none.
struct Found {
  const Implementation* implementation = nullptr;
  std::string reason{};
};
MINIMA_API Found find_operator(const std::string& op, const std::string& domain);

/// The results of a node. Throws ValueError for what the operators here don't know, attributes and inputs included.
MINIMA_API std::vector<Tensor> run(const Node& node, const std::vector<Tensor>& inputs,
                                   std::int64_t opset = newest_opset);

void add_elementwise(Operators& operators);
void add_reductions(Operators& operators);
void add_arrangements(Operators& operators);
void add_places(Operators& operators);
void add_layers(Operators& operators);
void add_resize(Operators& operators);
/// After add_layers.
void add_volumes(Operators& operators);
void add_recurrent(Operators& operators);
void add_attention(Operators& operators);
void add_states(Operators& operators);
void add_signals(Operators& operators);
void add_vision(Operators& operators);

inline Shape shape_of(const std::vector<std::int64_t>& sizes) {
  Shape shape;
  for (const std::int64_t size : sizes) shape.push_back(size);
  return shape;
}

}  // namespace minima::onnx
