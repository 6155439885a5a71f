#pragma once

#include <minima/minima.h>
#include <minima/ops/complex/complex.h>
#include <minima/ops/creation/grids.h>
#include <minima/ops/fft/fft.h>
#include <minima/ops/fft/stft.h>
#include <minima/ops/linalg/linalg.h>
#include <minima/ops/pooling/fractional_pool.h>
#include <minima/ops/special/bessel.h>
#include <minima/ops/special/polynomials.h>

#include <ATen/core/Reduction.h>
#include <core/operands.h>
#include <torch/core/functions.h>
#include <torch/core/memory_order.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>

// The generated definitions (functions_*.cpp) need this besides minima's operators: conversions of arguments and
// results, and functions where LibTorch's meaning is not one call of minima's.

namespace at::bridge {

using minima::Shape;
using MT = minima::Tensor;  // minima's tensor, in signatures that mix both
using Number = minima::Scalar;

// --- arguments ---
inline const MT& native(const Tensor& x) { return x.native(); }
inline const MT& native(const std::optional<Tensor>& x) { return at::native_or_none(x); }
inline std::span<const MT> native(TensorList list) { return at::natives(list); }
inline Number native(const Scalar& x) { return x.native(); }
inline std::optional<Number> native(const std::optional<Scalar>& x) {
  return x ? std::optional(x->native()) : std::nullopt;
}
inline Shape native(IntArrayRef list) { return list; }
inline Shape native(OptionalIntArrayRef list) { return list ? Shape(*list) : Shape(); }
using c10::native;  // of ScalarType
inline std::optional<minima::DType> native(std::optional<ScalarType> type) {
  return type ? std::optional(c10::native(*type)) : std::nullopt;
}
inline minima::RandomGenerator* native(const std::optional<Generator>& generator) {
  return generator ? generator->native() : nullptr;
}
/// A TensorOptions, which takes the default dtype where minima needs one and leaves it open where it infers one.
struct Options {
  const TensorOptions& options;
  operator minima::InferredOptions() const { return options.native(); }
  operator minima::TensorOptions() const {
    return options.native().or_else({.dtype = c10::native(get_default_dtype_as_scalartype())});
  }
};
inline Options native(const TensorOptions& options) { return {options}; }
inline minima::TensorOptions filled(const TensorOptions& options) { return Options{options}; }
minima::TensorOptions options_as(const MT& x, const TensorOptions& options);
TensorOptions torch_options_as(const Tensor& x, const TensorOptions& options);
/// The options with the default dtype if they have none.
inline TensorOptions typed(const TensorOptions& options) { return options.dtype(options.dtype()); }

inline Shape shape(std::optional<std::int64_t> dim) { return dim ? Shape(*dim) : Shape(); }
inline std::optional<Shape> optional(OptionalIntArrayRef list) {
  return list ? std::optional(Shape(*list)) : std::nullopt;
}
inline std::vector<std::int64_t> vector(const Shape& list) { return {list.begin(), list.end()}; }
inline double number(std::optional<Number> x, double otherwise) { return x ? x->to<double>() : otherwise; }
std::optional<std::pair<double, double>> range(std::optional<ArrayRef<double>> ends);
minima::Layout layout(const MT& x, const Shape& size, const Shape& stride, std::optional<std::int64_t> offset);
minima::Reduction reduction(std::int64_t reduction);
minima::ScatterMode scatter_mode(std::string_view reduce);
minima::PadMode pad_mode(std::string_view mode);
minima::fft::Norm fft_norm(std::optional<std::string_view> norm);
minima::linalg::QRMode qr_mode(std::string_view mode);
minima::linalg::MatrixNorm matrix_norm(std::string_view norm);
inline constexpr auto nuclear = minima::linalg::MatrixNorm::nuclear;
minima::linalg::RankTolerance tolerance(const MT& atol, const MT& rtol);

/// The element of a tensor as a number of the same kind.
Number scalar_of(const MT& x);
/// A tensor of rank 0 of a number alone, or of the dtype that the number gets with x.
MT tensor(Number value);
MT like(const MT& x, Number value);
inline MT cast(const MT& x, std::optional<minima::DType> dtype) { return dtype ? x.to(*dtype) : x; }
inline MT cast_to(const MT& x, const MT& like) { return x.to(like.dtype()); }
inline MT doubled(const MT& x) { return minima::is_complex(x.dtype()) ? x : x.to(minima::float64); }
/// x, or an integer x in the default dtype.
MT floating(const MT& x);
MT widened(const MT& x, bool half_to_float);
MT scaled(const MT& x, Number factor);

// --- results ---
inline std::vector<Tensor> list(std::vector<MT>&& tensors) { return wrap(std::move(tensors)); }
template <class T>
std::tuple<Tensor, Tensor> tuple2(T&& parts) {
  auto&& [a, b] = parts;
  return {a, b};
}
template <class T>
std::tuple<Tensor, Tensor, Tensor> tuple3(T&& parts) {
  auto&& [a, b, c] = parts;
  return {a, b, c};
}
/// A new tensor with what the options say about its order and its gradient.
Tensor made(const MT& x, const TensorOptions& options, std::optional<MemoryFormat> format = std::nullopt);
/// Writes a result into an `out` argument, which takes its shape.
Tensor& write(const Tensor& result, Tensor& out);
template <class... T, class... Out>
std::tuple<T&...> write(const std::tuple<T...>& results, Out&... out) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (write(std::get<I>(results), out), ...);
  }(std::index_sequence_for<T...>());
  return std::tie(out...);
}
/// Stores a result in x: the in-place form of a function that minima has out of place only.
Tensor& assign(const char* name, Tensor& x, const Tensor& result);
/// x as the input of a function whose result will replace it: a copy if backward may want its elements.
Tensor input_of_change(const Tensor& x);
template <class F>
Tensor& change(const char* name, Tensor& x, const F& f) {
  return assign(name, x, f(input_of_change(x)));
}
/// Makes x another view of its memory: transpose_, squeeze_, resize_.
Tensor& become(Tensor& x, const Tensor& other);

// --- arithmetic (bridge.cpp) ---
/// f of a number; the other one for complex numbers, which minima has as tensors only.
MT binary(const Tensor& a, const Scalar& b, MT (*of_tensor)(const MT&, const MT&), MT (*of_number)(const MT&, Number));
MT add(const MT& a, const MT& b, Number alpha);
MT add(const Tensor& a, const Scalar& b, const Scalar& alpha);
MT sub(const MT& a, const MT& b, Number alpha);
MT sub(const Tensor& a, const Scalar& b, const Scalar& alpha);
MT rsub(const MT& a, Number b, Number alpha);
void add_(const MT& a, const MT& b, Number alpha);
void sub_(const MT& a, const MT& b, Number alpha);
MT div(const MT& a, const MT& b, std::optional<std::string_view> rounding);
MT div(const MT& a, Number b, std::optional<std::string_view> rounding);
/// Powers of integers are integers, computed in float64: exact below 2⁵³.
MT pow(const MT& x, const MT& exponent);
MT pow(const MT& x, Number exponent);
MT pow(Number x, const MT& exponent);
MT round(const MT& x, std::int64_t decimals);
MT nan_to_num(const MT& x, std::optional<double> nan, std::optional<double> high, std::optional<double> low);
MT clamp(const MT& x, std::optional<Number> low, std::optional<Number> high);
MT clamp(const MT& x, const MT& low, const MT& high);
MT elu(const MT& x, Number alpha, Number scale, Number input_scale);
/// hardshrink or softshrink; the identity for a negative lambda, as hardshrink in LibTorch.
MT shrink(const MT& x, Number lambda, MT (*f)(const MT&, double));
MT gelu(const MT& x, std::string_view approximate);
MT is_real(const MT& x);
MT isclose(const MT& a, const MT& b, double rtol, double atol, bool equal_nan);
bool holds(const MT& all);
bool is_nonzero(const MT& x);
bool equal(const MT& a, const MT& b);
MT where(const MT& condition, const MT& a, const MT& b);
MT where(const MT& condition, const MT& a, Number b);
MT where(const MT& condition, Number a, const MT& b);
MT where(const MT& condition, Number a, Number b);
MT isin(const MT& x, const MT& elements, bool invert);
/// A product by f. Those of integers are computed in float64: exact below 2⁵³.
MT product(const MT& a, const MT& b, MT (*f)(const MT&, const MT&));
MT fused(const MT& x, const MT& a, const MT& b, Number beta, Number alpha,
         MT (*f)(const MT&, const MT&, const MT&, double, double));

// --- reductions and order (bridge_reduce.cpp) ---
MT kept(const MT& x, const MT& of, bool keep_dim);
MT norm_except_dim(const MT& v, std::int64_t p, std::int64_t dim);
minima::SlopeOptions slope(const Shape& dims, ArrayRef<Scalar> spacing, std::int64_t edge_order);
minima::SlopeOptions slope(const Shape& dims, std::optional<Number> spacing, std::int64_t edge_order);
MT quantile(const MT& x, const MT& q, std::optional<std::int64_t> dim, bool keep_dim, std::string_view mode,
            bool ignore_nan);
MT searchsorted(const MT& sorted, const MT& values, bool out_int32, bool right, std::optional<std::string_view> side,
                const MT& sorter);
std::tuple<Tensor, Tensor, Tensor> unique(const minima::Unique& found, bool inverse, bool counts);
std::tuple<Tensor, Tensor> first_two(const minima::Unique& found, bool inverse);
std::tuple<Tensor, std::vector<Tensor>> histogramdd(const MT& x, const std::vector<std::int64_t>& bins,
                                                    std::optional<ArrayRef<double>> range, const MT& weight,
                                                    bool density);
std::tuple<Tensor, std::vector<Tensor>> histogramdd_between(const MT& x, std::span<const MT> edges, const MT& weight,
                                                            bool density);
MT segment_reduce(const MT& data, std::string_view reduce, const MT& lengths, const MT& indices, const MT& offsets,
                  std::int64_t axis, bool unsafe, std::optional<Number> initial);

// --- shapes and places (bridge_shape.cpp) ---
MT viewed(const MT& x, minima::DType dtype);
MT reversed(const MT& x);
MT squeeze(const MT& x, const Shape& dims);
MT expand(const MT& x, const Shape& shape);
std::vector<MT> tensor_split(const MT& x, const MT& indices_or_sections, std::int64_t dim);
std::vector<MT> each(std::span<const MT> tensors, MT (*f)(const MT&));
std::vector<MT> columns(const MT& places);
Tensor contiguous(const Tensor& x, MemoryFormat format);
Tensor clone(const Tensor& x, std::optional<MemoryFormat> format);
MT copied(const MT& like, const MT& values);
void fill(const MT& x, const MT& value);
Tensor& fill(Tensor& x, const Scalar& value);
Tensor& fill_diagonal(Tensor& x, Number value, bool wrap);
Tensor& resize(Tensor& x, const Shape& shape);
MT repeat_interleave(const MT& x, const MT& repeats, std::optional<std::int64_t> dim);
MT roll(const MT& x, const Shape& shifts, const Shape& dims);
MT pad_sequence(std::span<const MT> sequences, bool batch_first, double value, std::string_view side);
MT nonzero_static(const MT& x, std::int64_t size, std::int64_t fill);
MT scatter(const MT& x, std::int64_t dim, const MT& index, const MT& source, std::string_view reduce);
MT one_hot(const MT& classes, std::int64_t count);
MT empty_strided(const Shape& size, const Shape& stride, minima::TensorOptions options);
/// Memory in which the dimensions follow each other in this order, the slowest first.
Tensor empty_permuted(const Shape& size, const Shape& order, minima::TensorOptions options);
MT flatten_dense_tensors(std::span<const MT> tensors);
/// Parts of `flat` with the shapes of `tensors`. Empty ones share no memory with others.
std::vector<MT> unflatten_dense_tensors(const MT& flat, std::span<const MT> tensors);

// --- sequences of numbers (bridge_create.cpp) ---
[[noreturn]] MT no_zero_tensor();
MT full(const Shape& size, const Scalar& value, const TensorOptions& options);
MT arange(Number start, Number stop, Number step, minima::InferredOptions options);
MT range(Number start, Number stop, Number step, minima::TensorOptions options);
/// The first `size` elements of a file, mapped into memory. What is written into a shared mapping is written into the
/// file, which is made or made longer if need be.
MT from_file(std::string_view path, std::optional<bool> shared, std::optional<std::int64_t> size,
             minima::TensorOptions options);

// --- random numbers (bridge_random.cpp) ---
MT rand(const Shape& size, minima::TensorOptions options, const std::optional<Generator>& generator = {});
MT randn(const Shape& size, minima::TensorOptions options, const std::optional<Generator>& generator = {});
MT rand_like(const MT& x, minima::InferredOptions options, const std::optional<Generator>& generator = {});
MT randn_like(const MT& x, minima::InferredOptions options, const std::optional<Generator>& generator = {});
MT randint(std::int64_t low, std::int64_t high, const Shape& size, minima::TensorOptions options,
           const std::optional<Generator>& generator = {});
MT randint_like(const MT& x, std::int64_t low, std::int64_t high, minima::InferredOptions options,
                const std::optional<Generator>& generator = {});
MT randperm(std::int64_t n, minima::TensorOptions options, const std::optional<Generator>& generator = {});
MT bernoulli(const MT& p, const std::optional<Generator>& generator);
MT multinomial(const MT& weights, std::int64_t count, bool replacement, const std::optional<Generator>& generator);
void bernoulli_(const MT& x, double p, const std::optional<Generator>& generator);
void uniform_(const MT& x, double low, double high, const std::optional<Generator>& generator);
void normal_(const MT& x, double mean, double std, const std::optional<Generator>& generator);
void random_(const MT& x, std::int64_t low, std::optional<std::int64_t> high,
             const std::optional<Generator>& generator);
void exponential_(const MT& x, double rate, const std::optional<Generator>& generator);
MT dirichlet(const MT& concentration, const std::optional<Generator>& generator);
MT binomial(const MT& count, const MT& probability, const std::optional<Generator>& generator);
/// A new tensor like x, filled by f.
template <class F>
MT drawn(const MT& x, const F& f) {
  MT y = minima::empty_like(x);
  f(y);
  return y;
}
/// Fills x with a function of uniform numbers in [0, 1), by inversion.
template <class F>
Tensor& random(Tensor& x, const std::optional<Generator>& generator, const F& f) {
  minima::NoGrad guard;
  minima::copy_(x, f(rand(x.native().shape(), {minima::float64, x.native().device()}, generator)));
  return x;
}

// --- linear algebra, transforms (bridge_linalg.cpp) ---
std::int64_t cross_dim(const MT& a, const MT& b, std::optional<std::int64_t> dim);
std::tuple<Tensor, Tensor, Tensor> svd(const MT& x, bool some, bool compute_uv);
std::tuple<Tensor, Tensor> triangular_solve(const MT& b, const MT& a, bool upper, bool transpose, bool unitriangular);
std::tuple<Tensor, Tensor, Tensor, Tensor> lstsq(const MT& a, const MT& b, std::optional<double> rcond);
MT linalg_norm(const MT& x, std::optional<Number> ord, OptionalIntArrayRef dim, bool keep_dim);
Shape last_two(OptionalIntArrayRef dim);
const MT& pivoted(const MT& a, bool pivot);
const MT& no_adjoint(const MT& b, bool adjoint);
MT stft(const MT& x, std::int64_t n_fft, std::optional<std::int64_t> hop, std::optional<std::int64_t> length,
        const MT& window, bool center, std::string_view pad_mode, bool normalized, std::optional<bool> onesided,
        std::optional<bool> return_complex);

// --- layers (bridge_nn.cpp) ---
/// One number for each dimension, from a list of one or all; an empty list means `otherwise`.
std::int64_t line(const Shape& list, const Shape& otherwise = {});
minima::Pair pair(const Shape& list, const Shape& otherwise = {});
minima::Triple triple(const Shape& list, const Shape& otherwise = {});
minima::MaxPool1dOptions max_pool1d_options(const Shape& kernel, const Shape& stride, const Shape& padding,
                                            const Shape& dilation, bool ceil_mode);
minima::MaxPool2dOptions max_pool2d_options(const Shape& kernel, const Shape& stride, const Shape& padding,
                                            const Shape& dilation, bool ceil_mode);
minima::MaxPool3dOptions max_pool3d_options(const Shape& kernel, const Shape& stride, const Shape& padding,
                                            const Shape& dilation, bool ceil_mode);
/// A convolution of sequences, images or volumes, after the weight's rank.
MT convolution(const MT& x, const MT& weight, const MT& bias, const Shape& stride, const Shape& padding,
               const Shape& dilation, bool transposed, const Shape& output_padding, std::int64_t groups);
/// The same with padding "same" or "valid".
MT conv_padded(const MT& x, const MT& weight, const MT& bias, const Shape& stride, std::string_view padding,
               const Shape& dilation, std::int64_t groups);
/// Tensors of one number of elements but different shapes are squeezed.
MT binary_cross_entropy(const MT& p, const MT& target, const MT& weight, minima::Reduction reduction);
MT pad(const MT& x, const Shape& amounts, minima::PadMode mode, Number value);
MT upsample(const MT& x, const Shape& size, const std::vector<std::optional<double>>& scale,
            minima::InterpolateMode mode, bool align_corners);
MT upsample(const MT& x, OptionalIntArrayRef size, std::optional<ArrayRef<double>> scale, minima::InterpolateMode mode,
            bool align_corners, bool antialias = false);
Tensor upsample_exact(const Tensor& x, OptionalIntArrayRef size, std::optional<ArrayRef<double>> scale);
/// Scales the rows of the weight that the indices name and whose p-norm exceeds max_norm to that norm.
void embedding_renorm_(const MT& weight, const MT& indices, double max_norm, double p);
MT embedding_renorm(const MT& weight, const MT& indices, double max_norm, double p);
MT embedding(const MT& weight, const MT& indices, std::int64_t padding, bool scale_grad_by_freq);
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(const MT& weight, const MT& indices, const MT& offsets,
                                                         std::int64_t mode, const MT& sample_weights,
                                                         bool include_last_offset, std::int64_t padding);
// Dropout draws as torch::nn::functional's does.
Tensor dropout(const Tensor& x, double p, bool train);
Tensor feature_dropout(const Tensor& x, double p, bool train);
Tensor alpha_dropout(const Tensor& x, double p, bool train);
Tensor feature_alpha_dropout(const Tensor& x, double p, bool train);
double epsilon(const MT& x);
std::vector<minima::RecurrentWeights> weights(std::span<const MT> parameters, bool has_biases, std::int64_t layers,
                                              bool bidirectional);
std::tuple<Tensor, Tensor> lstm_cell(const MT& x, const MT& h, const MT& c, const minima::RecurrentWeights& weights);
MT cell(const MT& x, const MT& h, const minima::RecurrentWeights& weights,
        minima::RecurrentResult (*f)(const MT&, const MT&, std::span<const minima::RecurrentWeights>,
                                     const minima::RecurrentOptions&));

}  // namespace at::bridge
