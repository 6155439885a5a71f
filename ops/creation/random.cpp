#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>
#include <minima/tensor/random_fill.h>

namespace minima {

namespace {

Generator& chosen(Generator* generator) { return generator ? *generator : default_generator(); }

void expect_floating(DType dtype, const char* op) {
  if (!is_floating(dtype)) throw DTypeError(str(op, ": needs a floating dtype, got ", dtype));
}

/// A row-major tensor like x, drawn by `fill`, then copied over x in whatever order x has.
template <class Fill>
void overwrite(const Tensor& x, Fill fill) {
  Tensor drawn = empty(x.shape(), {.dtype = x.dtype()});
  fill(drawn);
  copy_(x, drawn.to(x.device()));
}

}  // namespace

Tensor rand(const Shape& shape, TensorOptions options, Generator* generator) {
  expect_floating(options.dtype, "rand");
  Tensor result = empty(shape, {.dtype = options.dtype});
  detail::fill_uniform(chosen(generator), options.dtype, result.raw_data(), result.numel(), 0, 1);
  return result.to(options.device);
}

Tensor randn(const Shape& shape, TensorOptions options, Generator* generator) {
  expect_floating(options.dtype, "randn");
  Tensor result = empty(shape, {.dtype = options.dtype});
  detail::fill_normal(chosen(generator), options.dtype, result.raw_data(), result.numel(), 0, 1);
  return result.to(options.device);
}

Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, TensorOptions options, Generator* generator) {
  if (low >= high) throw ValueError(str("randint: no integer lies in [", low, ", ", high, ")"));
  Tensor result = empty(shape, {.dtype = options.dtype});
  detail::fill_integers(chosen(generator), options.dtype, result.raw_data(), result.numel(), low, high);
  return result.to(options.device);
}

Tensor randperm(std::int64_t n, Generator* generator) {
  if (n < 0) throw ValueError(str("randperm: n must not be negative, got ", n));
  Tensor result = empty({n}, {.dtype = DType::int64});
  detail::fill_permutation(chosen(generator), result.data<std::int64_t>(), n);
  return result;
}

void uniform_(const Tensor& x, double low, double high, Generator* generator) {
  expect_floating(x.dtype(), "uniform_");
  if (!(low < high)) throw ValueError(str("uniform_: [", low, ", ", high, ") is empty"));
  overwrite(x, [&](Tensor& drawn) {
    detail::fill_uniform(chosen(generator), x.dtype(), drawn.raw_data(), drawn.numel(), low, high);
  });
}

void normal_(const Tensor& x, double mean, double std, Generator* generator) {
  expect_floating(x.dtype(), "normal_");
  if (!(std >= 0)) throw ValueError(str("normal_: the standard deviation must not be negative, got ", std));
  overwrite(x, [&](Tensor& drawn) {
    detail::fill_normal(chosen(generator), x.dtype(), drawn.raw_data(), drawn.numel(), mean, std);
  });
}

void bernoulli_(const Tensor& x, double probability, Generator* generator) {
  if (!(probability >= 0 && probability <= 1))
    throw ValueError(str("bernoulli_: the probability must lie in [0, 1], got ", probability));
  overwrite(x, [&](Tensor& drawn) {
    detail::fill_bernoulli(chosen(generator), x.dtype(), drawn.raw_data(), drawn.numel(), probability);
  });
}

}  // namespace minima
