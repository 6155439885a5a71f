#include <minima/ops/product/gemm/blas_epilogue.h>

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <string>

namespace minima::detail {

namespace {

bool is_aligned(const void* data) {
  constexpr std::uintptr_t alignment = 16;
  return reinterpret_cast<std::uintptr_t>(data) % alignment == 0;
}

/// Whether gelu's saved input can be written or read: cuBLASLt requires its ld to be a multiple of 8.
bool may_save(const BlasProduct& product) { return product.ldc % 8 == 0 && is_aligned(product.before); }

bool is_simple(const BlasProduct& product) {
  return !product.accumulate && product.batch == 1 && product.dtype != DType::float64 && product.k > 0;
}

}  // namespace

BlasEpilogue epilogue_of(const BlasProduct& product) {
  if (product.sums_of == BlasSums::a) return BlasEpilogue::sums_of_a;
  if (product.sums_of == BlasSums::b) return BlasEpilogue::sums_of_b;
  switch (product.activation) {
    case BlasActivation::none: break;
    case BlasActivation::relu: return product.bias ? BlasEpilogue::relu_bias : BlasEpilogue::relu;
    case BlasActivation::gelu:
      if (product.before) return product.bias ? BlasEpilogue::gelu_aux_bias : BlasEpilogue::gelu_aux;
      return product.bias ? BlasEpilogue::gelu_bias : BlasEpilogue::gelu;
    case BlasActivation::gelu_gradient:
      return product.sums_of == BlasSums::c ? BlasEpilogue::gelu_gradient_sums : BlasEpilogue::gelu_gradient;
  }
  return product.bias ? BlasEpilogue::bias : BlasEpilogue::none;
}

bool may_take_sums(const BlasProduct& product) {
  return (product.sums_of == BlasSums::a || product.sums_of == BlasSums::b) && !product.bias &&
         product.activation == BlasActivation::none && product.batch == 1 && product.dtype != DType::float64 &&
         product.m > 0 && product.n > 0 && product.k > 0 && is_aligned(product.sums);
}

bool may_pay(const BlasProduct& product, int multiprocessors) {
  constexpr std::int64_t tile = 128, few_terms = 1024;
  const auto tiles = [](std::int64_t size) { return (size + tile - 1) / tile; };
  const std::int64_t all = tiles(product.m) * tiles(product.n), waves = (all + multiprocessors - 1) / multiprocessors;
  return product.k <= few_terms || 5 * all >= 4 * waves * multiprocessors;
}

bool may_apply_gelu(const BlasProduct& product) {
  return product.sums_of == BlasSums::none && is_simple(product) && (!product.before || may_save(product));
}

bool may_apply_gelu_gradient(const BlasProduct& product) {
  const bool sums_fit =
      product.sums_of == BlasSums::none || (product.sums_of == BlasSums::c && is_aligned(product.sums));
  return sums_fit && !product.bias && is_simple(product) && product.m > 0 && product.n > 0 && product.before &&
         may_save(product);
}

bool is_optional(const BlasProduct& product) { return epilogue_of(product) != BlasEpilogue::none; }

double bytes_apart(const BlasProduct& product) {
  const double c = static_cast<double>(product.m * product.n * product.batch) * size_of(product.c_dtype);
  const double a = static_cast<double>(product.m * product.k) * size_of(product.dtype);
  const double b = static_cast<double>(product.n * product.k) * size_of(product.dtype);
  double bytes = product.bias ? 2 * c : 0;
  if (product.activation != BlasActivation::none) bytes += 2 * c;
  if (product.activation == BlasActivation::gelu_gradient) bytes += c;
  switch (product.sums_of) {
    case BlasSums::none: break;
    case BlasSums::a: bytes += a; break;
    case BlasSums::b: bytes += b; break;
    case BlasSums::c: bytes += c; break;
  }
  return bytes;
}

std::string describe(const BlasProduct& product) {
  const auto name = [&] {
    switch (epilogue_of(product)) {
      case BlasEpilogue::none: return "DEFAULT";
      case BlasEpilogue::relu: return "RELU";
      case BlasEpilogue::bias: return "BIAS";
      case BlasEpilogue::relu_bias: return "RELU_BIAS";
      case BlasEpilogue::gelu: return "GELU";
      case BlasEpilogue::gelu_bias: return "GELU_BIAS";
      case BlasEpilogue::gelu_aux: return "GELU_AUX";
      case BlasEpilogue::gelu_aux_bias: return "GELU_AUX_BIAS";
      case BlasEpilogue::gelu_gradient: return "DGELU";
      case BlasEpilogue::gelu_gradient_sums: return "DGELU_BGRAD";
      case BlasEpilogue::sums_of_a: return "BGRADA";
      case BlasEpilogue::sums_of_b: return "BGRADB";
    }
    return "";
  };
  return str(name(), " of ", product.dtype, " [", product.m, ", ", product.k, "]·[", product.k, ", ", product.n, "]");
}

}  // namespace minima::detail
