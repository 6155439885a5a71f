#include <minima/tensor/allclose.h>

#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace minima {

namespace {

Shape index_of(std::int64_t position, const Shape& shape) {
  Shape index = shape;
  for (int dim = shape.rank() - 1; dim >= 0; --dim) {
    index[dim] = position % shape[dim];
    position /= shape[dim];
  }
  return index;
}

/// The elements, and of complex ones both parts.
std::vector<double> numbers_of(const Tensor& x) {
  if (!is_complex(x.dtype())) return x.to_vector<double>();
  std::vector<double> numbers;
  for (const Complex<double> z : x.to_vector<Complex<double>>()) numbers.insert(numbers.end(), {z.re, z.im});
  return numbers;
}

}  // namespace

Tolerance Tolerance::of(DType dtype) {
  switch (dtype) {
    case DType::complex128:
    case DType::float64: return {1e-7, 1e-7};
    case DType::complex64:
    case DType::float32: return {1.3e-6, 1e-5};
    case DType::float16: return {1e-3, 1e-5};
    case DType::bfloat16: return {1.6e-2, 1e-5};
    default: return {0, 0};
  }
}

Closeness allclose(const Tensor& a, const Tensor& b) { return allclose(a, b, Tolerance::of(b.dtype())); }

Closeness allclose(const Tensor& a, const Tensor& b, Tolerance tolerance) {
  if (!a.defined() || !b.defined())
    return a.defined() == b.defined() ? Closeness{} : Closeness{false, "one of the tensors is undefined"};
  if (a.shape() != b.shape()) return {false, str("shapes differ: ", a.shape(), " and ", b.shape())};
  if (a.dtype() != b.dtype()) return {false, str("dtypes differ: ", a.dtype(), " and ", b.dtype())};

  Shape shape = a.shape();
  if (is_complex(a.dtype())) shape.push_back(2);
  const std::vector<double> x = numbers_of(a), y = numbers_of(b);
  std::int64_t mismatches = 0, worst_absolute_at = 0, worst_relative_at = 0;
  double worst_absolute = -1, worst_relative = -1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    const double distance = std::fabs(x[i] - y[i]);
    const double absolute = std::isnan(distance) ? INFINITY : distance;
    if (std::isfinite(absolute) && absolute <= tolerance.atol + tolerance.rtol * std::fabs(y[i])) continue;
    ++mismatches;
    const double relative = absolute / std::fabs(y[i]);
    const auto position = static_cast<std::int64_t>(i);
    if (absolute > worst_absolute) worst_absolute = absolute, worst_absolute_at = position;
    if (relative > worst_relative) worst_relative = relative, worst_relative_at = position;
  }
  if (mismatches == 0) return {};
  const auto at = [&](std::int64_t position) {
    return str(index_of(position, shape), " (", x[static_cast<std::size_t>(position)], " and ",
               y[static_cast<std::size_t>(position)], ")");
  };
  return {false,
          str(mismatches, " of ", x.size(), " elements differ by more than ", tolerance.atol, " + ", tolerance.rtol,
              " · |b|; largest absolute difference ", worst_absolute, " at ", at(worst_absolute_at),
              ", largest relative difference ", worst_relative, " at ", at(worst_relative_at))};
}

bool identical(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  return dispatch<real_and_complex>(a.dtype(), "identical", [&]<class T> {
    if constexpr (std::is_same_v<T, bool>) {
      return a.to_vector<std::uint8_t>() == b.to_vector<std::uint8_t>();
    } else {
      const std::vector<T> x = a.to_vector<T>(), y = b.to_vector<T>();
      return x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
    }
  });
}

}  // namespace minima
