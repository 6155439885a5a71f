#include <minima/ops/gemm/blas_epilogue.h>

namespace minima::detail {

BlasEpilogue epilogue_of(const BlasProduct& product) {
  if (product.sums_of == BlasSums::a) return BlasEpilogue::sums_of_a;
  if (product.sums_of == BlasSums::b) return BlasEpilogue::sums_of_b;
  if (product.bias) return product.relu ? BlasEpilogue::relu_bias : BlasEpilogue::bias;
  return product.relu ? BlasEpilogue::relu : BlasEpilogue::none;
}

bool may_take_sums(const BlasProduct& product) {
  constexpr std::uintptr_t alignment = 16;
  return product.sums_of != BlasSums::none && !product.bias && !product.relu && product.batch == 1 &&
         product.dtype != DType::float64 && product.m > 0 && product.n > 0 && product.k > 0 &&
         reinterpret_cast<std::uintptr_t>(product.sums) % alignment == 0;
}

}  // namespace minima::detail
