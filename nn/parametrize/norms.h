#pragma once

#include <minima/nn/parametrize/parametrize.h>

#include <optional>

// Parametrizations of weights, torch.nn.utils.parametrizations. Each takes a module and returns it, so that it also
// stands in an initialiser: `nn::Conv2d conv = child("conv", nn::weight_norm(nn::Conv2d({…})));`.

namespace minima::nn {

struct SpectralNormOptions {
  std::string name = "weight";
  int n_power_iterations = 1;  ///< in each call while training, from 1 to 10⁶
  double eps = 1e-12;
  std::optional<std::int64_t> dim{};  ///< of the outputs; 1 for transposed convolutions, else 0
};

/// The maps from matrices to orthogonal ones.
enum class OrthogonalMap : std::uint8_t { matrix_exp, householder };

struct OrthogonalOptions {
  std::string name = "weight";
  std::optional<OrthogonalMap> map{};  ///< matrix_exp for square matrices, else householder
};

namespace detail {
MINIMA_API void add_weight_norm(ModuleBase& module, const std::string& name, std::optional<std::int64_t> dim);
MINIMA_API void add_spectral_norm(ModuleBase& module, const SpectralNormOptions& options);
MINIMA_API void add_orthogonal(ModuleBase& module, const OrthogonalOptions& options);
}  // namespace detail

/// w = g · v / ‖v‖ (Salimans and Kingma 2016), with a norm for each index of `dim`, or one if there is none. g and v
/// are `parametrizations.weight.original0` and `original1`.
template <class M>
requires detail::ChildModule<std::remove_cvref_t<M>>
std::remove_cvref_t<M> weight_norm(M&& module, const std::string& name = "weight",
                                   std::optional<std::int64_t> dim = 0) {
  detail::add_weight_norm(module, name, dim);
  return std::forward<M>(module);
}

/// w / σ with the largest singular value σ of w as a matrix [outputs, rest], estimated by power iteration (Miyato et
/// al. 2018). The iteration's vectors are the buffers `parametrizations.weight.0._u` and `_v`, which a call in training
/// mode improves.
template <class M>
requires detail::ChildModule<std::remove_cvref_t<M>>
std::remove_cvref_t<M> spectral_norm(M&& module, const SpectralNormOptions& options = {}) {
  detail::add_spectral_norm(module, options);
  return std::forward<M>(module);
}

/// A matrix [..., n, k] with orthonormal columns, or rows if n < k, that moves on the manifold of such matrices: base ·
/// map(original), where the base is what the weight was, made orthogonal (Lezcano-Casado 2019). The map is the
/// exponential of the skew-symmetric matrix of the original's lower triangle, or the product of Householder's
/// reflections by its columns. Throws ShapeError below rank 2.
template <class M>
requires detail::ChildModule<std::remove_cvref_t<M>>
std::remove_cvref_t<M> orthogonal(M&& module, const OrthogonalOptions& options = {}) {
  detail::add_orthogonal(module, options);
  return std::forward<M>(module);
}

}  // namespace minima::nn
