#pragma once

#include <c10/util/typeid.h>

namespace c10 {

/// The dtype of new floating-point tensors, of the whole process.
void set_default_dtype(TypeMeta dtype);
TypeMeta get_default_dtype();
ScalarType get_default_dtype_as_scalartype();
TypeMeta get_default_complex_dtype();

}  // namespace c10
