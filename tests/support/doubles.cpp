#include "tests/support/doubles.h"

#include <array>

namespace minima::test {

Doubles doubles_of(const Tensor& x) { return {x.shape(), x.to_vector<double>()}; }

namespace {

void spread(const double* from, const Layout& layout, int dim, double*& to) {
  if (dim == layout.rank()) {
    *to++ = *from;
    return;
  }
  for (std::int64_t i = 0; i < layout.shape[dim]; ++i) spread(from + i * layout.strides[dim], layout, dim + 1, to);
}

}  // namespace

Doubles broadcast_to(const Doubles& x, const Shape& shape) {
  if (x.shape == shape) return x;
  Doubles result(shape);
  double* to = result.values.data();
  if (result.numel() > 0) spread(x.values.data(), Layout::contiguous(x.shape).expanded(shape), 0, to);
  return result;
}

Doubles fold(const Doubles& x, const Shape& dims, bool keep_dim, double start, double (*f)(double, double)) {
  Shape kept = x.shape;
  for (const std::int64_t dim : dims) kept[static_cast<int>(dim)] = 1;
  Doubles result(kept);
  for (double& value : result.values) value = start;
  std::size_t at = 0;
  each_index(x.shape, [&](const Shape& index) {
    Shape to = index;
    for (const std::int64_t dim : dims) to[static_cast<int>(dim)] = 0;
    result[to] = f(result[to], x.values[at++]);
  });
  for (int i = dims.rank() - 1; i >= 0 && !keep_dim; --i) result.shape.erase(static_cast<int>(dims[i]));
  return result;
}

Doubles gather(const Doubles& x, const Shape& shape, const std::function<Shape(const Shape&)>& from) {
  Doubles result(shape);
  std::size_t at = 0;
  each_index(shape, [&](const Shape& index) { result.values[at++] = x[from(index)]; });
  return result;
}

namespace {

template <std::size_t N, class F>
Reference pointwise(F f) {
  return [f](const std::vector<Doubles>& inputs) {
    Shape shape = inputs.at(0).shape;
    for (const Doubles& input : inputs) shape = broadcast(shape, input.shape, "reference");
    std::array<Doubles, N> in;
    for (std::size_t k = 0; k < N; ++k) in[k] = broadcast_to(inputs.at(k), shape);
    Doubles result(shape);
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      if constexpr (N == 1) result.values[i] = f(in[0].values[i]);
      else if constexpr (N == 2) result.values[i] = f(in[0].values[i], in[1].values[i]);
      else result.values[i] = f(in[0].values[i], in[1].values[i], in[2].values[i]);
    }
    return std::vector{std::move(result)};
  };
}

}  // namespace

Reference elementwise(double (*f)(double)) { return pointwise<1>(f); }
Reference elementwise(double (*f)(double, double)) { return pointwise<2>(f); }
Reference elementwise(double (*f)(double, double, double)) { return pointwise<3>(f); }

}  // namespace minima::test
