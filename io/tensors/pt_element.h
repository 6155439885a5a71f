#pragma once

#include <minima/tensor/base/dtype.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace minima::detail {

/// A dtype of PyTorch's that minima can hold.
struct PtElement {
  const char* name;     ///< `float32` in `torch.float32`
  const char* storage;  ///< `FloatStorage` in `torch.FloatStorage`; empty if there is none
  DType dtype;          ///< in minima
  std::size_t bytes;    ///< of an element in a file
  bool is_unsigned = false;

  bool is_widened() const { return bytes != size_of(dtype); }
  /// Bytes of each number, in which the order may differ: a complex element has two.
  std::size_t number_bytes() const { return is_complex(dtype) ? bytes / 2 : bytes; }
};

inline constexpr PtElement pt_elements[] = {
    {"float32", "FloatStorage", DType::float32, 4},
    {"float64", "DoubleStorage", DType::float64, 8},
    {"float16", "HalfStorage", DType::float16, 2},
    {"bfloat16", "BFloat16Storage", DType::bfloat16, 2},
    {"int64", "LongStorage", DType::int64, 8},
    {"int32", "IntStorage", DType::int32, 4},
    {"int16", "ShortStorage", DType::int32, 2},
    {"int8", "CharStorage", DType::int8, 1},
    {"uint8", "ByteStorage", DType::uint8, 1},
    {"bool", "BoolStorage", DType::boolean, 1},
    {"complex64", "ComplexFloatStorage", DType::complex64, 8},
    {"complex128", "ComplexDoubleStorage", DType::complex128, 16},
    {"uint16", "", DType::int32, 2, true},
    {"uint32", "", DType::int64, 4, true},
    {"uint64", "", DType::int64, 8, true},
};

/// Bytes of any type.
inline constexpr PtElement untyped_pt_element{"", "UntypedStorage", DType::uint8, 1};

/// Null if there is none. Another dtype has the type of the elements that it is held as.
inline const PtElement* find_pt_element(std::string_view name) {
  for (const PtElement& element : pt_elements)
    if (name == element.name) return &element;
  return nullptr;
}
inline const PtElement* find_pt_storage(std::string_view storage) {
  if (storage == untyped_pt_element.storage) return &untyped_pt_element;
  for (const PtElement& element : pt_elements)
    if (!storage.empty() && storage == element.storage) return &element;
  return nullptr;
}
/// The type that a tensor of this dtype is written as.
inline const PtElement& pt_element_of(DType dtype) {
  for (const PtElement& element : pt_elements)
    if (element.dtype == dtype && !element.is_widened() && !element.is_unsigned) return element;
  return pt_elements[0];
}

}  // namespace minima::detail
