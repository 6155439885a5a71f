#pragma once

#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>

namespace minima::detail {

/// Receives the attributes of an operator from its `list_attributes`:
///   void list_attributes(AttributeVisitor& visitor) const { visitor.integer("dim", dim); }
class MINIMA_API AttributeVisitor {
 public:
  virtual void integer(const char* name, std::int64_t value) = 0;
  virtual void number(const char* name, double value) = 0;
  virtual void word(const char* name, const char* value) = 0;
  virtual void integers(const char* name, const Shape& values) = 0;

 protected:
  ~AttributeVisitor() = default;
};

/// One call of an operator, as an Observer hears of it. The references are valid during the notification; outputs have
/// no values yet, and undefined ones are not computed. In a change in place output 0 is input 0.
struct OperatorCall {
  const char* name;
  const Tensor* const* inputs;
  std::size_t input_count;
  const Tensor* outputs;  ///< the public ones
  int output_count;
  const void* op;
  void (*list_attributes)(const void* op, AttributeVisitor& visitor);  ///< null if the operator does not tell any
};

template <class Op>
void list_attributes_of(const void* op, AttributeVisitor& visitor) {
  static_cast<const Op*>(op)->list_attributes(visitor);
}

template <class Op>
constexpr auto attributes_of() -> void (*)(const void*, AttributeVisitor&) {
  if constexpr (requires(const Op& op, AttributeVisitor& visitor) { op.list_attributes(visitor); })
    return &list_attributes_of<Op>;
  else return nullptr;
}

}  // namespace minima::detail
