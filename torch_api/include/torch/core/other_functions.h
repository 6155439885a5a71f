#pragma once

#include <torch/core/tensor.h>

// Functions of LibTorch that are no operators of the table.

namespace at {

/// as_strided at x's own offset: a view.
Tensor _reshape_alias(const Tensor& x, IntArrayRef size, IntArrayRef stride);

// LibTorch's check that overloads with defaults can be told apart.
Tensor _test_ambiguous_defaults(const Tensor& dummy, std::int64_t a = 1, std::int64_t b = 1);
Tensor _test_ambiguous_defaults(const Tensor& dummy, std::int64_t a, c10::string_view b);

// The dtype of a result of operands with these dtypes.
ScalarType result_type(const Tensor& a, const Tensor& b);
ScalarType result_type(const Tensor& a, const Scalar& b);
ScalarType result_type(const Scalar& a, const Tensor& b);
ScalarType result_type(const Scalar& a, const Scalar& b);
inline ScalarType promote_types(ScalarType a, ScalarType b) { return promoteTypes(a, b); }
inline bool can_cast(ScalarType from, ScalarType to) { return canCast(from, to); }

inline std::string toString(const Tensor& x) { return x.toString(); }
inline DeviceIndex get_device(const Tensor& x) { return x.get_device(); }

}  // namespace at
