#pragma once

#include <minima/ops/loops/lines/reducers.h>
#include <minima/ops/loops/plan.h>
#include <minima/ops/reduce/reduced_shape.h>
#include <minima/tensor/tensor.h>

#include <type_traits>

// The reductions of this folder, written once for both devices. An Engine reduces on one of them:
//
//   struct Engine {
//     static constexpr bool computes_in_int32;                    // or only in int64
//     template <class T> void reduce(const F& f, out…, in) const;  // with a functor of ops/loops/lines/reducers.h
//   };

namespace minima::reduction {

/// Calls f<T>() with the type that elements of `dtype` are reduced in.
template <class F>
void with_floating_type(DType dtype, F&& f) {
  if (dtype == float64) f.template operator()<double>();
  else f.template operator()<float>();
}
template <class F>
void with_type(DType dtype, F&& f) {
  if (is_floating(dtype)) with_floating_type(dtype, f);
  else f.template operator()<std::int64_t>();
}

inline pointwise::Operand whole(const Tensor& x) { return {x.raw_data(), x.layout(), x.dtype()}; }

/// A result as the engines take it: of the input's rank.
class Result {
 public:
  Result(const Tensor& y, const Shape& input_shape, const Shape& dims)
      : y_(y), layout_(y.defined() ? with_reduced_dims(y.layout(), input_shape, dims) : Layout()) {}
  operator pointwise::Operand() const { return {y_.raw_data(), layout_, y_.dtype()}; }

 private:
  const Tensor& y_;
  Layout layout_;
};

template <class Engine>
void sum_over(const Engine& engine, const Tensor& x, const Shape& dims, const Tensor& y) {
  with_type(x.dtype(), [&]<class T> { engine.template reduce<T>(Sum<T>{}, Result(y, x.shape(), dims), whole(x)); });
}

template <class Engine>
void nansum_over(const Engine& engine, const Tensor& x, const Shape& dims, const Tensor& y) {
  with_floating_type(x.dtype(),
                     [&]<class T> { engine.template reduce<T>(NanSum<T>{}, Result(y, x.shape(), dims), whole(x)); });
}

template <class Engine>
void mean_over(const Engine& engine, const Tensor& x, const Shape& dims, const Tensor& y) {
  with_floating_type(x.dtype(), [&]<class T> {
    engine.template reduce<T>(Mean<T>(reduced_count(x.shape(), dims)), Result(y, x.shape(), dims), whole(x));
  });
}

template <class Engine>
void mean_square_over(const Engine& engine, const Tensor& x, const Shape& dims, double divisor, bool root,
                      const Tensor& y) {
  with_floating_type(x.dtype(), [&]<class T> {
    engine.template reduce<T>(MeanSquare<T>(divisor, root), Result(y, x.shape(), dims), whole(x));
  });
}

template <class T, bool largest, class Engine>
void extreme_over(const Engine& engine, const Tensor& x, const Shape& dims, const Tensor& values,
                  const Tensor& indices) {
  const Result value(values, x.shape(), dims), index(indices, x.shape(), dims);
  if (!indices.defined()) engine.template reduce<T>(Extreme<T, largest>{}, value, whole(x));
  else if (!values.defined()) engine.template reduce<T>(ExtremeIndex<T, largest>{}, index, whole(x));
  else engine.template reduce<T>(ExtremeWithIndex<T, largest>{}, value, index, whole(x));
}

template <class Engine>
void extreme_over(const Engine& engine, bool largest, const Tensor& x, const Shape& dims, const Tensor& values,
                  const Tensor& indices) {
  const auto run = [&]<class T> {
    if (largest) extreme_over<T, true>(engine, x, dims, values, indices);
    else extreme_over<T, false>(engine, x, dims, values, indices);
  };
  if constexpr (Engine::computes_in_int32)
    if (!is_floating(x.dtype()) && x.dtype() != int64) return run.template operator()<std::int32_t>();
  with_type(x.dtype(), run);
}

}  // namespace minima::reduction
