#include <minima/ops/view/view.h>

#include <torch/core/memory_order.h>
#include <torch/core/other_functions.h>

namespace at {

Tensor _reshape_alias(const Tensor& x, IntArrayRef size, IntArrayRef stride) {
  const minima::Tensor& source = rows_first(x);
  return minima::as_strided(source, {.shape = size, .strides = stride, .offset = source.layout().offset});
}

Tensor _test_ambiguous_defaults(const Tensor& dummy, std::int64_t a, std::int64_t b) {
  TORCH_CHECK(a == 1 && b == 1, "expected 1 and 1");
  return dummy;
}
Tensor _test_ambiguous_defaults(const Tensor& dummy, std::int64_t a, c10::string_view b) {
  TORCH_CHECK(a == 2 && b == "2", "expected 2 and \"2\"");
  return dummy;
}

namespace {

bool is_higher(ScalarType a, ScalarType b) {
  const auto category = [](ScalarType type) {
    return isComplexType(type) ? 3 : isFloatingType(type) ? 2 : type == kBool ? 0 : 1;
  };
  return category(a) > category(b);
}

/// The type that a number raises a tensor to: its category counts, not its width.
ScalarType raised(ScalarType tensor, const Scalar& number) {
  if (!is_higher(number.type(), tensor)) return tensor;
  if (number.isComplex()) return toComplexType(isFloatingType(tensor) ? tensor : get_default_dtype_as_scalartype());
  return number.isFloatingPoint() ? get_default_dtype_as_scalartype() : kLong;
}

}  // namespace

ScalarType result_type(const Tensor& a, const Tensor& b) {
  if (a.dim() == 0 && b.dim() > 0 && !is_higher(a.scalar_type(), b.scalar_type())) return b.scalar_type();
  if (b.dim() == 0 && a.dim() > 0 && !is_higher(b.scalar_type(), a.scalar_type())) return a.scalar_type();
  return promoteTypes(a.scalar_type(), b.scalar_type());
}
ScalarType result_type(const Tensor& a, const Scalar& b) { return raised(a.scalar_type(), b); }
ScalarType result_type(const Scalar& a, const Tensor& b) { return raised(b.scalar_type(), a); }
ScalarType result_type(const Scalar& a, const Scalar& b) {
  const ScalarType wider = is_higher(b.type(), a.type()) ? b.type() : a.type();
  if (wider == kDouble) return get_default_dtype_as_scalartype();
  return wider == kComplexDouble ? toComplexType(get_default_dtype_as_scalartype()) : wider;
}

}  // namespace at
