#include <core/bridge.h>

#include <algorithm>

namespace at::bridge {

namespace m = minima;

namespace {
/// The place of a word in a list.
template <std::size_t N>
int place_of(std::string_view word, const std::string_view (&words)[N], const char* what) {
  const auto* const found = std::find(std::begin(words), std::end(words), word);
  TORCH_CHECK(found != std::end(words), what, " is not valid: \"", word, "\"");
  return static_cast<int>(found - words);
}
}  // namespace

minima::linalg::QRMode qr_mode(std::string_view mode) {
  return static_cast<m::linalg::QRMode>(place_of(mode, {"reduced", "complete", "r"}, "qr's mode"));
}
minima::linalg::MatrixNorm matrix_norm(std::string_view norm) {
  return static_cast<m::linalg::MatrixNorm>(place_of(norm, {"fro", "nuc"}, "linalg.matrix_norm's order"));
}
minima::linalg::RankTolerance tolerance(const MT& atol, const MT& rtol) {
  m::linalg::RankTolerance made;
  if (atol.defined()) made.atol = atol.item<double>();
  if (rtol.defined()) made.rtol = rtol.item<double>();
  return made;
}
minima::fft::Norm fft_norm(std::optional<std::string_view> norm) {
  return static_cast<m::fft::Norm>(
      place_of(norm.value_or("backward"), {"backward", "ortho", "forward"}, "fft's normalization mode"));
}
minima::PadMode pad_mode(std::string_view mode) {
  return static_cast<m::PadMode>(place_of(mode, {"constant", "reflect", "replicate", "circular"}, "padding mode"));
}

std::int64_t cross_dim(const MT& a, const MT& b, std::optional<std::int64_t> dim) {
  if (dim) return *dim;
  const Shape shape = m::broadcast(a.shape(), b.shape(), "cross");
  for (int d = 0; d < shape.rank(); ++d)
    if (shape[d] == 3) return d;
  TORCH_CHECK(false, "no dimension of size 3 in input");
}

std::tuple<Tensor, Tensor, Tensor> svd(const MT& x, bool some, bool compute_uv) {
  if (!compute_uv)
    return {m::zeros({x.size(-2), x.size(-2)}), m::linalg::svdvals(x), m::zeros({x.size(-1), x.size(-1)})};
  const auto [u, s, vt] = m::linalg::svd(x, !some);
  return {u, s, m::transpose(vt, -2, -1)};
}

std::tuple<Tensor, Tensor> triangular_solve(const MT& b, const MT& a, bool upper, bool transpose, bool unitriangular) {
  const MT left = transpose ? m::transpose(a, -2, -1) : a;
  return {m::linalg::solve_triangular(left, b, {.upper = upper != transpose, .unitriangular = unitriangular}),
          m::clone(a)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> lstsq(const MT& a, const MT& b, std::optional<double> rcond) {
  const auto [solution, residuals, rank] = m::linalg::lstsq(a, b, rcond);
  return {solution, residuals, rank, m::empty(0, {.dtype = a.dtype(), .device = a.device()})};
}

MT linalg_norm(const MT& x, std::optional<Number> ord, OptionalIntArrayRef dim, bool keep_dim) {
  const Shape dims = dim ? Shape(*dim) : Shape();
  const bool is_matrix = dim ? dims.rank() == 2 : x.rank() == 2;
  if (!ord || !is_matrix) return m::linalg::vector_norm(x, number(ord, 2), dims, keep_dim);
  return m::linalg::matrix_norm(x, ord->to<double>(), last_two(dim), keep_dim);
}
Shape last_two(OptionalIntArrayRef dim) { return dim ? Shape(*dim) : Shape{-2, -1}; }

const MT& pivoted(const MT& a, bool pivot) {
  TORCH_CHECK(pivot, "linalg.lu: factors without pivoting are not available; use pivot = true");
  return a;
}
const MT& no_adjoint(const MT& b, bool adjoint) {
  TORCH_CHECK(!adjoint, "linalg.lu_solve: adjoint = true is not available; solve with the transposed matrix");
  return b;
}

MT stft(const MT& x, std::int64_t n_fft, std::optional<std::int64_t> hop, std::optional<std::int64_t> length,
        const MT& window, bool center, std::string_view mode, bool normalized, std::optional<bool> onesided,
        std::optional<bool> return_complex) {
  TORCH_CHECK(return_complex,
              "stft requires the return_complex parameter be given for real inputs, and will further require "
              "that return_complex=True in a future PyTorch release.");
  const MT y = m::stft(x, n_fft,
                       {.hop_length = hop,
                        .win_length = length,
                        .window = window,
                        .center = center,
                        .pad_mode = pad_mode(mode),
                        .normalized = normalized,
                        .onesided = onesided});
  return *return_complex ? y : m::view_as_real(y);
}

}  // namespace at::bridge
