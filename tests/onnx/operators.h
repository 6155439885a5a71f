#pragma once

#include "tests/onnx/model.h"

#include <functional>

namespace minima::onnx {

/// What a node is called with.
class Call {
 public:
  Call(const Node& node, std::vector<Tensor> inputs) : node_(&node), inputs_(std::move(inputs)) {}
  const Tensor& operator[](std::size_t i) const { return inputs_.at(i); }
  std::size_t count() const { return inputs_.size(); }
  bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i].defined(); }
  const std::vector<Tensor>& inputs() const { return inputs_; }
  std::size_t outputs() const { return node_->outputs.size(); }

  bool has(const char* name) const { return node_->attributes.contains(name); }
  std::int64_t i(const char* name, std::int64_t otherwise = 0) const { return has(name) ? at(name).i : otherwise; }
  double f(const char* name, double otherwise = 0) const { return has(name) ? at(name).f : otherwise; }
  std::string s(const char* name, const char* otherwise = "") const { return has(name) ? at(name).s : otherwise; }
  std::vector<std::int64_t> ints(const char* name, std::vector<std::int64_t> otherwise = {}) const {
    return has(name) ? at(name).ints : otherwise;
  }
  std::vector<float> floats(const char* name) const { return has(name) ? at(name).floats : std::vector<float>(); }
  Tensor t(const char* name) const { return has(name) ? at(name).t : Tensor(); }
  /// Integers that newer versions give as input i and older ones as an attribute.
  std::vector<std::int64_t> list(std::size_t input, const char* name) const {
    return has(input) ? inputs_[input].to_vector<std::int64_t>() : ints(name);
  }

 private:
  const Attribute& at(const char* name) const { return node_->attributes.at(name); }
  const Node* node_;
  std::vector<Tensor> inputs_;
};

using Implementation = std::function<std::vector<Tensor>(const Call&)>;
using Operators = std::map<std::string, Implementation>;

void add_elementwise(Operators& operators);
void add_reductions(Operators& operators);
void add_arrangements(Operators& operators);
void add_places(Operators& operators);
void add_layers(Operators& operators);

inline Shape shape_of(const std::vector<std::int64_t>& sizes) {
  Shape shape;
  for (const std::int64_t size : sizes) shape.push_back(size);
  return shape;
}

}  // namespace minima::onnx
