#include <minima/nn/parametrize/norms.h>

#include <minima/autograd/mode.h>
#include <minima/nn/layers/conv3d.h>
#include <minima/nn/layers/conv_transpose.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/parametrize/computed.h>
#include <minima/nn/parametrize/parametrize.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace minima::nn::detail {

namespace {

/// ‖v‖ over all dimensions but one, kept as dimensions of size 1; over all, without any, if there is none.
Tensor norm_except(const Tensor& v, std::optional<std::int64_t> dim) {
  if (!dim) return norm(v);
  const int kept = wrap_dim(*dim, v.rank(), "weight_norm");
  Shape others;
  for (int i = 0; i < v.rank(); ++i)
    if (i != kept) others.push_back(i);
  return others.empty() ? abs(v) : norm(v, 2, others, true);
}

class WeightNorm : public Parametrization {
 public:
  explicit WeightNorm(std::optional<std::int64_t> of) : dim(of) {}
  Tensor forward(const std::vector<Tensor>& originals) override {
    return originals[1] * (originals[0] / norm_except(originals[1], dim));
  }
  std::vector<Tensor> right_inverse(const Tensor& x) override { return {norm_except(x, dim), x}; }
  std::optional<std::int64_t> dim;
};

Tensor unit(const Tensor& x, double eps) { return normalize(x, 2, 0, eps); }

class SpectralNorm : public Parametrization {
 public:
  SpectralNorm(const Tensor& weight, const SpectralNormOptions& given, std::int64_t of)
      : options(given), dim(of), u(buffer("_u", Tensor())), v(buffer("_v", Tensor())) {
    if (weight.rank() < 2) return;
    const NoGrad constant;
    const Tensor w = as_matrix(weight);
    const TensorOptions like{.dtype = w.dtype(), .device = w.device()};
    u = Buffer(unit(randn({w.size(0)}, like), options.eps));
    v = Buffer(unit(randn({w.size(1)}, like), options.eps));
    iterate(w, 15);
  }

  Tensor forward(const std::vector<Tensor>& originals) override {
    const Tensor& weight = originals[0];
    if (weight.rank() < 2) return unit(weight, options.eps);
    const Tensor w = as_matrix(weight);
    if (is_training() && !is_recomputing()) iterate(w.detach(), options.n_power_iterations);
    return weight / dot(clone(u), mv(w, clone(v)));  // copies, since the next call changes the buffers
  }

  SpectralNormOptions options;
  std::int64_t dim;
  Buffer u, v;

 private:
  Tensor as_matrix(const Tensor& weight) const {
    const Tensor rows = dim == 0 ? weight : movedim(weight, {dim}, {0});
    return reshape(rows, {weight.size(dim), -1});
  }
  void iterate(const Tensor& w, int times) {
    const NoGrad constant;
    for (int i = 0; i < times; ++i) {
      copy_(u, unit(mv(w, v), options.eps));
      copy_(v, unit(mv(transpose(w, 0, 1), u), options.eps));
    }
  }
};

/// exp(a) by scaling, Taylor's polynomial and squaring.
Tensor exponential(const Tensor& a) {
  constexpr int terms = 18;
  const double size = no_grad([&] { return a.numel() == 0 ? 0 : max(sum(abs(a), -1)).item<double>(); });
  int squarings = 0;
  double scale = 1;
  for (; size * scale > 1 && squarings < 60; ++squarings) scale /= 2;
  const Tensor scaled = a * scale, one = eye(a.size(-1), {.dtype = a.dtype(), .device = a.device()});
  Tensor result = one;
  for (int k = terms; k > 0; --k) result = one + matmul(scaled, result) / k;  // Horner
  for (int i = 0; i < squarings; ++i) result = matmul(result, result);
  return result;
}

/// The first k columns of the product of the reflections 1 - τ h hᵀ, where column i of x below the diagonal, with a one
/// on it, is h, and τ = 2 / ‖h‖². Columns are multiplied by the diagonal.
Tensor reflections(const Tensor& x) {
  const std::int64_t n = x.size(-2), k = x.size(-1);
  const TensorOptions options{.dtype = x.dtype(), .device = x.device()};
  const Tensor h = tril(x, -1) + eye(n, k, options);
  const Tensor tau = 2 / sum(square(h), -2);
  Tensor q = eye(n, k, options);
  for (std::int64_t i = k - 1; i >= 0; --i) {
    const Tensor column = slice(h, -1, i, i + 1), factor = unsqueeze(slice(tau, -1, i, i + 1), -1);
    q = q - factor * matmul(column, matmul(transpose(column, -2, -1), q));
  }
  return q * unsqueeze(diagonal(x.detach(), 0, -2, -1), -2);
}

/// An orthogonal matrix [n, n] whose first columns are those of a [n, k], made orthonormal: Gram and Schmidt's method,
/// twice, on the CPU. Columns that depend on earlier ones are replaced.
void orthonormalise(const double* a, std::int64_t n, std::int64_t k, double* q) {
  std::int64_t axis = 0;
  const auto take = [&](std::int64_t column, const auto& source) {
    for (std::int64_t i = 0; i < n; ++i) q[i * n + column] = source(i);
    double before = 0, after = 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t other = 0; other < column; ++other) {
        double product = 0;
        for (std::int64_t i = 0; i < n; ++i) product += q[i * n + other] * q[i * n + column];
        for (std::int64_t i = 0; i < n; ++i) q[i * n + column] -= product * q[i * n + other];
      }
      after = 0;
      for (std::int64_t i = 0; i < n; ++i) after += q[i * n + column] * q[i * n + column];
      if (pass == 0)
        for (std::int64_t i = 0; i < n; ++i) before += source(i) * source(i);
    }
    if (!(after > 1e-12 * before)) return false;
    for (std::int64_t i = 0; i < n; ++i) q[i * n + column] /= std::sqrt(after);
    return true;
  };
  for (std::int64_t column = 0; column < n; ++column) {
    if (column < k && take(column, [&](std::int64_t i) { return a[i * k + column]; })) continue;
    while (!take(column, [&](std::int64_t i) { return i == axis ? 1.0 : 0.0; })) ++axis;
    ++axis;
  }
}

Tensor tall(const Tensor& x) { return x.size(-2) < x.size(-1) ? transpose(x, -2, -1) : x; }

class Orthogonal : public Parametrization {
 public:
  explicit Orthogonal(OrthogonalMap given) : map(given), base(buffer("base", Tensor())) {}

  Tensor forward(const std::vector<Tensor>& originals) override {
    const bool is_wide = originals[0].size(-2) < originals[0].size(-1);
    const Tensor x = tall(originals[0]);
    Tensor q;
    if (map == OrthogonalMap::householder) {
      q = reflections(x);
    } else {
      const std::int64_t n = x.size(-2), k = x.size(-1);
      const Tensor square_x = pad(tril(x), {0, n - k});
      q = slice(exponential(square_x - transpose(square_x, -2, -1)), -1, 0, k);
    }
    q = matmul(base, q);
    return is_wide ? transpose(q, -2, -1) : q;
  }

  /// The base becomes the weight made orthogonal, and the original -1 on the diagonal, which both maps map to 1.
  std::vector<Tensor> right_inverse(const Tensor& weight) override {
    const Tensor columns = tall(weight);
    const std::int64_t n = columns.size(-2), k = columns.size(-1), count = numel(weight.shape()) / (n * k);
    const std::vector<double> from = columns.to_vector<double>();
    std::vector<double> to(static_cast<std::size_t>(count * n * n));
    for (std::int64_t i = 0; i < count; ++i) orthonormalise(from.data() + i * n * k, n, k, to.data() + i * n * n);
    Shape shape = columns.shape();
    shape[shape.rank() - 1] = n;
    base = Buffer(from_vector(to, shape).to(weight.device(), weight.dtype()));
    const TensorOptions options{.dtype = weight.dtype(), .device = weight.device()};
    return {contiguous(expand(neg(eye(weight.size(-2), weight.size(-1), options)), weight.shape()))};
  }

  OrthogonalMap map;
  Buffer base;
};

}  // namespace

void add_weight_norm(ModuleBase& module, const std::string& name, std::optional<std::int64_t> dim) {
  register_parametrization(module, name, WeightNorm(dim));
}

void add_spectral_norm(ModuleBase& module, const SpectralNormOptions& options) {
  minima::detail::check_count("spectral_norm", "n_power_iterations", options.n_power_iterations, 1, 1'000'000);
  minima::detail::check_number("spectral_norm", "eps", options.eps, minima::detail::not_negative);
  const Tensor weight = parameter_member("spectral_norm", module, options.name);
  const bool is_transposed =
      module.as<ConvTranspose1d>() || module.as<ConvTranspose2d>() || module.as<ConvTranspose3d>();
  const std::int64_t dim = wrap_dim(options.dim.value_or(is_transposed ? 1 : 0), weight.rank(), "spectral_norm");
  register_parametrization(module, options.name, SpectralNorm(weight.detach(), options, dim));
}

void add_orthogonal(ModuleBase& module, const OrthogonalOptions& options) {
  const Tensor weight = parameter_member("orthogonal", module, options.name);
  if (weight.rank() < 2)
    throw ShapeError(str("orthogonal: \"", options.name, "\" must be a matrix or a batch of them, got ", weight));
  const bool is_square = weight.size(-2) == weight.size(-1);
  const OrthogonalMap map = options.map.value_or(is_square ? OrthogonalMap::matrix_exp : OrthogonalMap::householder);
  register_parametrization(module, options.name, Orthogonal(map));
}

}  // namespace minima::nn::detail
