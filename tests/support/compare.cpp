#include "tests/support/compare.h"

#include <minima/tensor/base/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace minima::test {

Tolerance Tolerance::of(DType dtype) {
  switch (dtype) {
    case DType::float64: return {1e-7, 1e-7};
    case DType::float32: return {1.3e-6, 1e-5};
    case DType::float16: return {1e-3, 1e-5};
    case DType::bfloat16: return {1.6e-2, 1e-5};
    default: return {};
  }
}

double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::float64: return 0x1p-52;
    case DType::float32: return 0x1p-23;
    case DType::float16: return 0x1p-10;
    case DType::bfloat16: return 0x1p-7;
    default: return 0;
  }
}

double rounded(double x, DType dtype) {
  const auto whole = [&] { return static_cast<std::int64_t>(x); };
  switch (dtype) {
    case DType::boolean: return x != 0;
    case DType::uint8: return static_cast<std::uint8_t>(whole());
    case DType::int8: return static_cast<std::int8_t>(whole());
    case DType::int32: return static_cast<std::int32_t>(whole());
    case DType::int64: return static_cast<double>(whole());
    case DType::float16: return static_cast<float>(Float16(static_cast<float>(x)));
    case DType::bfloat16: return static_cast<float>(BFloat16(static_cast<float>(x)));
    case DType::float32: return static_cast<float>(x);
    default: return x;
  }
}

namespace {

/// Tracks the worst element; NaN and infinite differences rank above all others.
struct Worst {
  double size = -1;
  std::size_t index = 0;
  void see(double difference, std::size_t i) {
    const double comparable = std::isnan(difference) ? INFINITY : difference;
    if (comparable > size) size = comparable, index = i;
  }
};

Shape coordinates(const Shape& shape, std::size_t position) {
  Shape index = Shape::filled(shape.rank(), 0);
  auto rest = static_cast<std::int64_t>(position);
  for (int d = shape.rank() - 1; d >= 0; --d) {
    index[d] = rest % shape[d];
    rest /= shape[d];
  }
  return index;
}

/// The correct stored result: values beyond the range of a floating dtype become infinite, integers wrap.
double held(double x, DType dtype) {
  const double stored = rounded(x, dtype);
  return is_floating(dtype) && !std::isinf(stored) ? x : stored;
}

template <class Allowed>
Comparison compare_values(const Tensor& got, const Doubles& expected, Allowed&& allowed_at) {
  if (!got.defined()) return {false, "got an undefined tensor"};
  if (got.shape() != expected.shape) return {false, str("got shape ", got.shape(), ", expected ", expected.shape)};
  const std::vector<double> values = got.to_vector<double>();
  std::size_t mismatches = 0;
  Worst absolute, relative;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double want = held(expected.values[i], got.dtype());
    if (values[i] == want || (std::isnan(values[i]) && std::isnan(want))) continue;
    const double difference = std::fabs(values[i] - want);
    if (difference <= allowed_at(i, want)) continue;
    ++mismatches;
    absolute.see(difference, i);
    relative.see(difference / std::fabs(want), i);
  }
  if (!mismatches) return {};
  const auto describe = [&](const Worst& worst) {
    return str(worst.size, " at ", coordinates(got.shape(), worst.index), " (got ", values[worst.index], ", expected ",
               expected.values[worst.index], ", allowed ", allowed_at(worst.index, expected.values[worst.index]), ")");
  };
  return {false, str(mismatches, " of ", values.size(), " elements of ", got, " differ; worst absolute ",
                     describe(absolute), ", worst relative ", describe(relative))};
}

}  // namespace

Comparison compare(const Tensor& got, const Doubles& expected, Tolerance tolerance) {
  return compare_values(got, expected, [&](std::size_t, double want) {
    return std::isfinite(want) ? tolerance.absolute + tolerance.relative * std::fabs(want) : 0;
  });
}

Comparison compare(const Tensor& got, const Doubles& expected, const std::vector<double>& allowed) {
  return compare_values(got, expected, [&](std::size_t i, double) { return allowed[i]; });
}

Comparison compare(const Tensor& got, const Tensor& expected, Tolerance tolerance) {
  if (!got.defined() || !expected.defined()) {
    if (got.defined() == expected.defined()) return {};
    return {false, str("got ", got, ", expected ", expected)};
  }
  if (got.dtype() != expected.dtype()) return {false, str("got ", got, ", expected ", expected)};
  return compare(got, doubles_of(expected), tolerance);
}

Comparison compare_bitwise(const Tensor& got, const Tensor& expected) {
  if (got.defined() != expected.defined()) return {false, str("got ", got, ", expected ", expected)};
  if (!got.defined()) return {};
  if (got.dtype() != expected.dtype() || got.shape() != expected.shape())
    return {false, str("got ", got, ", expected ", expected)};
  if (!got.device().is_cpu() || !expected.device().is_cpu())
    return compare_bitwise(got.to(Device::cpu()), expected.to(Device::cpu()));
  const std::size_t size = got.itemsize();
  std::size_t mismatches = 0;
  Shape first;
  each_index(got.shape(), [&](const Shape& index) {
    std::int64_t a = 0, b = 0;
    for (int d = 0; d < index.rank(); ++d) {
      a += index[d] * got.strides()[d];
      b += index[d] * expected.strides()[d];
    }
    const auto* x = static_cast<const char*>(got.raw_data()) + a * static_cast<std::int64_t>(size);
    const auto* y = static_cast<const char*>(expected.raw_data()) + b * static_cast<std::int64_t>(size);
    if (std::memcmp(x, y, size) == 0) return;
    if (mismatches++ == 0) first = index;
  });
  if (!mismatches) return {};
  return {false, str(mismatches, " of ", got.numel(), " elements of ", got, " differ in bits, the first at ", first,
                     "; ", compare(got, expected, Tolerance{}).message)};
}

}  // namespace minima::test
