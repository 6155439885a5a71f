#include <minima/ops/creation/random.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random_kernels.h>
#include <minima/ops/creation/random_range.h>
#include <minima/ops/op.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/random/random_fill.h>

#include <cstdint>

namespace minima {

namespace {

RandomGenerator& chosen(RandomGenerator* generator) { return generator ? *generator : default_generator(); }

void expect_floating(DType dtype, const char* op) {
  if (!is_floating(dtype)) throw DTypeError(str(op, ": needs a floating dtype, got ", dtype));
}

// Each fills a contiguous tensor on its device.

void draw_uniform(RandomGenerator* generator, const Tensor& out, double low, double high) {
  if constexpr (detail::has_cuda_kernels)
    if (detail::on_cuda(out)) return detail::uniform_kernel_cuda(chosen(generator), out, low, high);
  detail::fill_uniform(chosen(generator), out.dtype(), out.raw_data(), out.numel(), low, high);
}

void draw_normal(RandomGenerator* generator, const Tensor& out, double mean, double std) {
  if constexpr (detail::has_cuda_kernels)
    if (detail::on_cuda(out)) return detail::normal_kernel_cuda(chosen(generator), out, mean, std);
  detail::fill_normal(chosen(generator), out.dtype(), out.raw_data(), out.numel(), mean, std);
}

void draw_integers(RandomGenerator* generator, const Tensor& out, std::int64_t low, std::int64_t high) {
  if constexpr (detail::has_cuda_kernels)
    if (detail::on_cuda(out)) return detail::integers_kernel_cuda(chosen(generator), out, low, high);
  detail::fill_integers(chosen(generator), out.dtype(), out.raw_data(), out.numel(), low, high);
}

void draw_bernoulli(RandomGenerator* generator, const Tensor& out, double probability) {
  if constexpr (detail::has_cuda_kernels)
    if (detail::on_cuda(out)) return detail::bernoulli_kernel_cuda(chosen(generator), out, probability);
  detail::fill_bernoulli(chosen(generator), out.dtype(), out.raw_data(), out.numel(), probability);
}

/// Draws a row-major tensor like x by `draw` and copies it into x, whatever x's layout.
template <class Draw>
void overwrite(const Tensor& x, Draw draw) {
  const Tensor drawn = empty(x.shape(), {.dtype = x.dtype(), .device = x.device()});
  draw(drawn);
  copy_(x, drawn);
}

/// A tensor like x whose elements `draw` draws.
template <class Draw>
Tensor drawn_like(const Tensor& x, InferredOptions options, Draw draw) {
  Tensor result = empty_like(x, options);
  if (result.is_contiguous()) draw(result);
  else overwrite(result, draw);
  return result;
}

/// Throws unless the dtype holds the integers on [low, high).
void expect_range(const char* op, std::int64_t low, std::int64_t high, DType dtype) {
  for (const std::int64_t end : {low, high - 1})
    if (is_integer(dtype) ? !detail::integer_range(dtype).has(end) : !detail::is_element(end, dtype))
      throw ValueError(str(op, ": ", dtype, " cannot hold ", end, "; choose other bounds or another dtype"));
}

}  // namespace

Tensor rand(const Shape& shape, TensorOptions options, RandomGenerator* generator) {
  expect_floating(options.dtype, "rand");
  Tensor result = empty(shape, options);
  draw_uniform(generator, result, 0, 1);
  return result;
}

Tensor randn(const Shape& shape, TensorOptions options, RandomGenerator* generator) {
  expect_floating(options.dtype, "randn");
  Tensor result = empty(shape, options);
  draw_normal(generator, result, 0, 1);
  return result;
}

Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, InferredOptions options,
               RandomGenerator* generator) {
  if (low >= high) throw ValueError(str("randint: there is no integer in [", low, ", ", high, ")"));
  Tensor result = empty(shape, options.or_else({.dtype = DType::int64}));
  expect_range("randint", low, high, result.dtype());
  draw_integers(generator, result, low, high);
  return result;
}

Tensor randint(std::int64_t high, const Shape& shape, InferredOptions options, RandomGenerator* generator) {
  return randint(0, high, shape, options, generator);
}

Tensor rand_like(const Tensor& x, InferredOptions options, RandomGenerator* generator) {
  detail::check_defined("rand_like", x);
  expect_floating(options.dtype.value_or(x.dtype()), "rand_like");
  return drawn_like(x, options, [&](const Tensor& drawn) { draw_uniform(generator, drawn, 0, 1); });
}

Tensor randn_like(const Tensor& x, InferredOptions options, RandomGenerator* generator) {
  detail::check_defined("randn_like", x);
  expect_floating(options.dtype.value_or(x.dtype()), "randn_like");
  return drawn_like(x, options, [&](const Tensor& drawn) { draw_normal(generator, drawn, 0, 1); });
}

Tensor randint_like(const Tensor& x, std::int64_t low, std::int64_t high, InferredOptions options,
                    RandomGenerator* generator) {
  detail::check_defined("randint_like", x);
  if (low >= high) throw ValueError(str("randint_like: there is no integer in [", low, ", ", high, ")"));
  expect_range("randint_like", low, high, options.dtype.value_or(x.dtype()));
  return drawn_like(x, options, [&](const Tensor& drawn) { draw_integers(generator, drawn, low, high); });
}

Tensor randint_like(const Tensor& x, std::int64_t high, InferredOptions options, RandomGenerator* generator) {
  return randint_like(x, 0, high, options, generator);
}

Tensor randperm(std::int64_t n, RandomGenerator* generator) {
  if (n < 0) throw ValueError(str("randperm: n must not be negative, got ", n));
  Tensor result = empty({n}, {.dtype = DType::int64});
  detail::fill_permutation(chosen(generator), result.data<std::int64_t>(), n);
  return result;
}

Tensor randperm(std::int64_t n, InferredOptions inferred, RandomGenerator* generator) {
  const TensorOptions options = inferred.or_else({.dtype = DType::int64});
  if (n > 0) expect_range("randperm", 0, n, options.dtype);
  return randperm(n, generator).to(options.device, options.dtype);
}

const Tensor& uniform_(const Tensor& x, double low, double high, RandomGenerator* generator) {
  detail::check_defined("uniform_", x);
  expect_floating(x.dtype(), "uniform_");
  if (!(low < high)) throw ValueError(str("uniform_: [", low, ", ", high, ") is empty"));
  overwrite(x, [&](const Tensor& drawn) { draw_uniform(generator, drawn, low, high); });
  return x;
}

const Tensor& normal_(const Tensor& x, double mean, double std, RandomGenerator* generator) {
  detail::check_defined("normal_", x);
  expect_floating(x.dtype(), "normal_");
  if (!(std >= 0)) throw ValueError(str("normal_: the standard deviation must not be negative, got ", std));
  overwrite(x, [&](const Tensor& drawn) { draw_normal(generator, drawn, mean, std); });
  return x;
}

const Tensor& bernoulli_(const Tensor& x, double probability, RandomGenerator* generator) {
  detail::check_defined("bernoulli_", x);
  if (!(probability >= 0 && probability <= 1))
    throw ValueError(str("bernoulli_: the probability must be in [0, 1], got ", probability));
  overwrite(x, [&](const Tensor& drawn) { draw_bernoulli(generator, drawn, probability); });
  return x;
}

namespace detail {

namespace {

/// Elements that share a Philox counter.
std::int64_t elements_per_counter(DType dtype) { return size_of(dtype) == 8 ? 2 : 4; }

/// Calls draw(generator, tensor) for a tensor that starts at a counter.
template <class Draw>
void draw_range(const Tensor& out, std::int64_t begin, RandomGenerator::Position start, Draw draw) {
  if (out.numel() == 0) return;
  const std::int64_t together = elements_per_counter(out.dtype()), before = begin % together;
  RandomGenerator generator;
  generator.set_state({start.seed, start.offset + static_cast<std::uint64_t>(begin / together)});
  if (before == 0) return draw(&generator, out);
  const Tensor drawn = empty({before + out.numel()}, {.dtype = out.dtype(), .device = out.device()});
  draw(&generator, drawn);
  copy_(out, narrow(drawn, 0, before, out.numel()));
}

}  // namespace

std::uint64_t random_counters(DType dtype, std::int64_t count) {
  const std::int64_t together = elements_per_counter(dtype);
  return static_cast<std::uint64_t>((count + together - 1) / together);
}

void draw_uniform_range(const Tensor& out, std::int64_t begin, RandomGenerator::Position start, double low,
                        double high) {
  draw_range(out, begin, start,
             [&](RandomGenerator* generator, const Tensor& drawn) { draw_uniform(generator, drawn, low, high); });
}

void draw_normal_range(const Tensor& out, std::int64_t begin, RandomGenerator::Position start, double mean,
                       double std) {
  draw_range(out, begin, start,
             [&](RandomGenerator* generator, const Tensor& drawn) { draw_normal(generator, drawn, mean, std); });
}

}  // namespace detail

}  // namespace minima
