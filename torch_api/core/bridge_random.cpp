#include <core/bridge.h>
#include <core/random_stream.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

// Random numbers: on the CPU those of PyTorch's stream, on a GPU those of minima's generators.

namespace at::bridge {

namespace m = minima;

namespace {

using OptionalGenerator = std::optional<Generator>;

const Generator& or_default(const OptionalGenerator& generator) {
  return generator && generator->defined() ? *generator : at::detail::getDefaultCPUGenerator();
}

/// Draws f(RandomStream&) while no other thread draws from the same generator.
template <class F>
auto draw(const OptionalGenerator& generator, const F& f) {
  const Generator& source = or_default(generator);
  const std::lock_guard lock(source.mutex());
  return f(source.stream());
}

/// How many integers are in [low, high).
std::uint64_t width(std::int64_t low, std::int64_t high) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

/// One more than the largest number that random_() draws: all integers that the dtype holds.
std::int64_t end_of(m::DType dtype) {
  switch (dtype) {
    case m::boolean: return 2;
    case m::uint8: return 256;
    case m::int8: return 128;
    case m::int32: return std::int64_t{1} << 31;
    case m::float16: return (1 << 11) + 1;
    case m::bfloat16: return (1 << 8) + 1;
    case m::float32: return (1 << 24) + 1;
    case m::float64: return (std::int64_t{1} << 53) + 1;
    default: return INT64_MAX;
  }
}

/// The categories into which uniform numbers fall, for one row of weights.
void choose(const double* weights, std::int64_t count, const double* uniform, std::int64_t draws,
            std::int64_t* chosen) {
  std::vector<double> sums(weights, weights + count);
  for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
  TORCH_CHECK(sums.back() > 0, "invalid multinomial distribution (sum of probabilities <= 0)");
  const double total = sums.back();
  for (double& sum : sums) sum /= total;
  for (std::int64_t i = 0; i < draws; ++i) {
    const auto place = std::lower_bound(sums.begin(), sums.end() - 1, uniform[i]);
    chosen[i] = place - sums.begin();
  }
}

}  // namespace

MT rand(const Shape& size, m::TensorOptions options, const OptionalGenerator& generator) {
  if (!options.device.is_cpu()) return m::rand(size, options, native(generator));
  return draw(generator, [&](auto& stream) { return stream.uniform(size, options.dtype); });
}

MT randn(const Shape& size, m::TensorOptions options, const OptionalGenerator& generator) {
  if (!options.device.is_cpu() || m::is_complex(options.dtype)) {
    MT x = m::empty(size, options);
    normal_(x, 0, 1, generator);
    return x;
  }
  return draw(generator, [&](auto& stream) { return stream.normal(size, options.dtype); });
}

MT rand_like(const MT& x, m::InferredOptions options, const OptionalGenerator& generator) {
  return rand(x.shape(), options.or_else({x.dtype(), x.device()}), generator);
}
MT randn_like(const MT& x, m::InferredOptions options, const OptionalGenerator& generator) {
  return randn(x.shape(), options.or_else({x.dtype(), x.device()}), generator);
}

MT randint(std::int64_t low, std::int64_t high, const Shape& size, m::TensorOptions options,
           const OptionalGenerator& generator) {
  TORCH_CHECK(low < high, "random_ expects 'from' to be less than 'to', but got from=", low, " >= to=", high);
  if (!options.device.is_cpu()) return m::randint(low, high, size, options, native(generator));
  return draw(generator, [&](auto& stream) { return stream.integers(size, options.dtype, low, width(low, high)); });
}
MT randint_like(const MT& x, std::int64_t low, std::int64_t high, m::InferredOptions options,
                const OptionalGenerator& generator) {
  return randint(low, high, x.shape(), options.or_else({x.dtype(), x.device()}), generator);
}

MT randperm(std::int64_t n, m::TensorOptions options, const OptionalGenerator& generator) {
  TORCH_CHECK(n >= 0, "n must be non-negative, got ", n);
  if (!options.device.is_cpu()) return m::randperm(n, options, native(generator));
  return draw(generator, [&](auto& stream) { return stream.permutation(n, options.dtype); });
}

MT bernoulli(const MT& p, const OptionalGenerator& generator) {
  if (!p.device().is_cpu()) return m::bernoulli(p, native(generator));
  TORCH_CHECK(m::is_floating(p.dtype()), "bernoulli: probabilities must be floating, got ", p.dtype());
  const MT values = p.detach();
  if (values.numel() > 0)
    TORCH_CHECK(
        m::amin(values).to(m::float64).item<double>() >= 0 && m::amax(values).to(m::float64).item<double>() <= 1,
        "Expected p_in >= 0 && p_in <= 1 to be true, but got false.");
  return draw(generator, [&](auto& stream) { return stream.bernoulli(values); });
}

void bernoulli_(const MT& x, double p, const OptionalGenerator& generator) {
  TORCH_CHECK(0 <= p && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  if (!x.device().is_cpu()) return static_cast<void>(m::bernoulli_(x, p, native(generator)));
  m::copy_(x, draw(generator, [&](auto& stream) { return stream.bernoulli(x.shape(), x.dtype(), p); }));
}

void uniform_(const MT& x, double low, double high, const OptionalGenerator& generator) {
  TORCH_CHECK(low <= high, "uniform_ expects to return a [from, to) range, but found from=", low, " > to=", high);
  if (!x.device().is_cpu()) return static_cast<void>(m::uniform_(x, low, high, native(generator)));
  m::copy_(x, draw(generator, [&](auto& stream) { return stream.uniform(x.shape(), x.dtype(), low, high); }));
}

void normal_(const MT& x, double mean, double std, const OptionalGenerator& generator) {
  TORCH_CHECK(std >= 0, "normal expects std >= 0.0, but found std ", std);
  if (m::is_complex(x.dtype())) {
    const MT parts = m::view_as_real(x);
    normal_(parts, 0, std / std::sqrt(2.0), generator);
    m::add_(m::select(parts, -1, 0), mean);
    return;
  }
  if (!x.device().is_cpu()) return static_cast<void>(m::normal_(x, mean, std, native(generator)));
  m::copy_(x, draw(generator,
                   [&](auto& stream) { return stream.normal(x.shape(), x.dtype(), mean, std, x.is_contiguous()); }));
}

void random_(const MT& x, std::int64_t low, std::optional<std::int64_t> high, const OptionalGenerator& generator) {
  const std::int64_t end = high.value_or(end_of(x.dtype()));
  m::NoGrad guard;
  m::copy_(x, randint(low, end, x.shape(), {x.dtype(), x.device()}, generator));
}

void exponential_(const MT& x, double rate, const OptionalGenerator& generator) {
  TORCH_CHECK(rate > 0, "exponential_ expects lambda > 0.0, but found lambda=", rate);
  m::NoGrad guard;
  if (x.device().is_cpu())
    m::copy_(x, draw(generator, [&](auto& stream) { return stream.exponential(x.shape(), x.dtype(), rate); }));
  else
    m::copy_(x,
             m::div(m::neg(m::log1p(m::neg(m::rand(x.shape(), {m::float64, x.device()}, native(generator))))), rate));
}

MT dirichlet(const MT& concentration, const OptionalGenerator& generator) {
  TORCH_CHECK(m::is_floating(concentration.dtype()) && concentration.rank() > 0,
              "_sample_dirichlet: expected concentrations of a floating dtype and at least one dimension, but got ",
              scalar_type(concentration.dtype()), " ", IntArrayRef(concentration.shape()));
  const m::NoGrad constant;
  const MT drawn =
      draw(generator, [&](auto& stream) { return stream.gamma(concentration.detach().to(m::Device::cpu())); });
  return m::div(drawn, m::sum(drawn, -1, true)).to(concentration.device(), concentration.dtype());
}

MT multinomial(const MT& weights, std::int64_t count, bool replacement, const OptionalGenerator& generator) {
  if (!weights.device().is_cpu() || !m::is_floating(weights.dtype()) || weights.rank() < 1 || weights.rank() > 2)
    return m::multinomial(weights, count, replacement, native(generator));
  const MT values = weights.detach();
  if (!replacement || count == 1) {
    MT waits = m::empty(values.shape(), {.dtype = values.dtype()});
    exponential_(waits, 1, generator);
    const MT ratio = m::div(values, waits);
    return count == 1 ? m::argmax(ratio, -1, true) : m::topk(ratio, count, -1).indices;
  }
  const MT table = m::contiguous(values.to(m::float64));
  const std::int64_t categories = values.size(-1), rows = table.numel() / categories;
  const MT result = m::empty(values.rank() == 1 ? Shape{count} : Shape{rows, count}, {.dtype = m::int64});
  const MT uniform = draw(generator, [&](auto& stream) { return stream.uniform({rows, count}, m::float64); });
  for (std::int64_t row = 0; row < rows; ++row)
    choose(table.data<double>() + row * categories, categories, uniform.data<double>() + row * count, count,
           result.data<std::int64_t>() + row * count);
  return result;
}

}  // namespace at::bridge
