#include <minima/ops/product/gemm/gemm_block.h>

#include <minima/ops/pointwise/functors/activation.h>
#include <minima/ops/product/gemm/activation.h>

#include <cstdint>

namespace minima::detail {

namespace functor = pointwise::functor;

namespace {

template <class T>
void add_row(const Block<T>& block, const T* bias) {
  for (std::int64_t i = 0; i < block.rows; ++i) {
    T* __restrict row = block.data + i * block.ld;
    for (std::int64_t j = 0; j < block.columns; ++j) row[j] += bias[j];
  }
}

template <class T, class F>
void apply_to(const Block<T>& block, F f) {
  for (std::int64_t i = 0; i < block.rows; ++i) {
    T* row = block.data + i * block.ld;
    for (std::int64_t j = 0; j < block.columns; ++j) row[j] = f(row[j]);
  }
}

template <class T>
void activate_block(const Block<T>& block, Activation activation) {
  switch (activation) {
    case Activation::none: break;
    case Activation::relu: apply_to(block, functor::Relu{}); break;
    case Activation::gelu: apply_to(block, functor::Gelu{}); break;
    case Activation::gelu_tanh: apply_to(block, functor::GeluTanh{}); break;
  }
}

}  // namespace

void add_bias(const Block<float>& block, const float* bias) { add_row(block, bias); }
void add_bias(const Block<double>& block, const double* bias) { add_row(block, bias); }
void activate(const Block<float>& block, Activation activation) { activate_block(block, activation); }
void activate(const Block<double>& block, Activation activation) { activate_block(block, activation); }

}  // namespace minima::detail
