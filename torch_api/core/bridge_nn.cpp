#include <core/bridge.h>
#include <torch/nn/functional/dropout.h>
#include <torch/nn/functional/embedding.h>
#include <torch/nn/functional/upsampling.h>

#include <limits>

namespace at::bridge {

namespace m = minima;
namespace F = torch::nn::functional;

namespace {
std::int64_t at(const Shape& list, const Shape& otherwise, int d, int count) {
  const Shape& chosen = list.empty() ? otherwise : list;
  TORCH_CHECK(chosen.rank() == 1 || chosen.rank() == count, "expected a list of 1 or ", count, " numbers, but got ",
              IntArrayRef(chosen));
  return chosen[chosen.rank() == 1 ? 0 : d];
}
}  // namespace

std::int64_t line(const Shape& list, const Shape& otherwise) { return at(list, otherwise, 0, 1); }
minima::Pair pair(const Shape& list, const Shape& otherwise) {
  return {at(list, otherwise, 0, 2), at(list, otherwise, 1, 2)};
}
minima::Triple triple(const Shape& list, const Shape& otherwise) {
  return {at(list, otherwise, 0, 3), at(list, otherwise, 1, 3), at(list, otherwise, 2, 3)};
}

#define MINIMA_TORCH_MAX_POOL(D, of)                                                                                  \
  minima::MaxPool##D##dOptions max_pool##D##d_options(const Shape& kernel, const Shape& stride, const Shape& padding, \
                                                      const Shape& dilation, bool ceil_mode) {                        \
    return {.kernel = of(kernel, {}),                                                                                 \
            .stride = of(stride, kernel),                                                                             \
            .padding = of(padding, {}),                                                                               \
            .dilation = of(dilation, {}),                                                                             \
            .ceil_mode = ceil_mode};                                                                                  \
  }
MINIMA_TORCH_MAX_POOL(1, line)
MINIMA_TORCH_MAX_POOL(2, pair)
MINIMA_TORCH_MAX_POOL(3, triple)
#undef MINIMA_TORCH_MAX_POOL

MT convolution(const MT& x, const MT& weight, const MT& bias, const Shape& stride, const Shape& padding,
               const Shape& dilation, bool transposed, const Shape& output_padding, std::int64_t groups) {
  const auto with = [&]<class Options>(Options options, auto of) {
    options.stride = of(stride);
    options.padding = of(padding);
    options.dilation = of(dilation);
    options.groups = groups;
    if constexpr (requires { options.output_padding; }) options.output_padding = of(output_padding);
    return options;
  };
  const auto one = [](const Shape& list) { return line(list); };
  const auto two = [](const Shape& list) { return pair(list); };
  const auto three = [](const Shape& list) { return triple(list); };
  switch (weight.rank()) {
    case 3:
      return transposed ? m::conv_transpose1d(x, weight, bias, with(m::ConvTranspose1dOptions{}, one))
                        : m::conv1d(x, weight, bias, with(m::Conv1dOptions{}, one));
    case 4:
      return transposed ? m::conv_transpose2d(x, weight, bias, with(m::ConvTranspose2dOptions{}, two))
                        : m::conv2d(x, weight, bias, with(m::Conv2dOptions{}, two));
    case 5:
      return transposed ? m::conv_transpose3d(x, weight, bias, with(m::ConvTranspose3dOptions{}, three))
                        : m::conv3d(x, weight, bias, with(m::Conv3dOptions{}, three));
    default: TORCH_CHECK(false, "convolution expects a weight of 3 to 5 dimensions, but got ", weight.rank());
  }
}

MT conv_padded(const MT& x, const MT& weight, const MT& bias, const Shape& stride, std::string_view padding,
               const Shape& dilation, std::int64_t groups) {
  TORCH_CHECK(padding == "same" || padding == "valid", "Invalid padding string: '", padding, "'");
  if (padding == "valid") return convolution(x, weight, bias, stride, 0, dilation, false, 0, groups);
  const int dims = weight.rank() - 2;
  Shape amounts;  // {left, right} of the last dimension first
  for (int d = dims - 1; d >= 0; --d) {
    TORCH_CHECK(at(stride, {}, d, dims) == 1, "padding='same' is not supported for strided convolutions");
    const std::int64_t both = at(dilation, {}, d, dims) * (weight.size(d + 2) - 1);
    amounts.push_back(both / 2);
    amounts.push_back(both - both / 2);
  }
  return convolution(m::pad(x, amounts), weight, bias, stride, 0, dilation, false, 0, groups);
}

MT binary_cross_entropy(const MT& p, const MT& target, const MT& weight, minima::Reduction reduction) {
  if (p.shape() != target.shape() && p.numel() == target.numel()) {
    const MT loss = bridge::binary_cross_entropy(m::squeeze(p), m::squeeze(target), weight, reduction);
    return reduction == m::Reduction::none ? m::reshape(loss, p.shape()) : loss;
  }
  return weight.defined() ? m::binary_cross_entropy(p, target, weight, reduction)
                          : m::binary_cross_entropy(p, target, reduction);
}

MT pad(const MT& x, const Shape& amounts, minima::PadMode mode, Number value) {
  if (!m::is_complex(x.dtype())) return m::pad(x, amounts, mode, value);
  TORCH_CHECK(mode == m::PadMode::constant && value.to<double>() == 0, "pad: complex tensors are padded with 0 only");
  Shape parts{0, 0};
  for (std::int64_t amount : amounts) parts.push_back(amount);
  return m::view_as_complex(m::pad(m::view_as_real(x), parts));
}

MT upsample(const MT& x, const Shape& size, const std::vector<std::optional<double>>& scale,
            minima::InterpolateMode mode, bool align_corners) {
  m::InterpolateOptions options{.size = size, .mode = mode, .align_corners = align_corners};
  bool has_all = true;
  for (const std::optional<double>& factor : scale) has_all = has_all && factor;
  if (has_all) {
    options.size = {};
    for (const std::optional<double>& factor : scale) options.scale.push_back(*factor);
  }
  return m::interpolate(x, options);
}
MT upsample(const MT& x, OptionalIntArrayRef size, std::optional<ArrayRef<double>> scale, minima::InterpolateMode mode,
            bool align_corners, bool antialias) {
  TORCH_CHECK(size.has_value() != scale.has_value(), "Must specify exactly one of output_size and scale_factors");
  m::InterpolateOptions options{.mode = mode, .align_corners = align_corners, .antialias = antialias};
  if (size) options.size = *size;
  else options.scale = scale->vec();
  return m::interpolate(x, options);
}
Tensor upsample_exact(const Tensor& x, OptionalIntArrayRef size, std::optional<ArrayRef<double>> scale) {
  auto options = F::InterpolateFuncOptions().mode(torch::kNearestExact);
  if (size) options.size(size->vec());
  if (scale) options.scale_factor(scale->vec());
  return F::interpolate(x, options);
}

void embedding_renorm_(const MT& weight, const MT& indices, double max_norm, double p) {
  TORCH_CHECK(weight.rank() == 2, "embedding_renorm_: expected a weight of 2 dimensions, but got ",
              IntArrayRef(weight.shape()));
  TORCH_CHECK(indices.dtype() == m::int64 || indices.dtype() == m::int32,
              "embedding_renorm_: expected indices of type Int or Long, but got ", scalar_type(indices.dtype()));
  const m::NoGrad guard;
  const MT rows = m::unique(indices.to(m::int64)).values;
  const MT picked = m::index_select(weight, 0, rows);
  const MT lengths = m::norm(picked, p, {1}, true);
  m::index_put_(weight, {rows}, m::mul(picked, m::where(m::gt(lengths, max_norm), max_norm / (lengths + 1e-7), 1)));
}

MT embedding_renorm(const MT& weight, const MT& indices, double max_norm, double p) {
  MT changed = m::clone(weight.detach());
  embedding_renorm_(changed, indices, max_norm, p);
  return changed;
}

MT embedding(const MT& weight, const MT& indices, std::int64_t padding, bool scale_grad_by_freq) {
  auto options = F::EmbeddingFuncOptions().scale_grad_by_freq(scale_grad_by_freq);
  if (padding >= 0) options.padding_idx(padding);
  return F::embedding(indices, weight, options);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(const MT& weight, const MT& indices, const MT& offsets,
                                                         std::int64_t mode, const MT& sample_weights,
                                                         bool include_last_offset, std::int64_t padding) {
  constexpr m::BagMode modes[] = {m::BagMode::sum, m::BagMode::mean, m::BagMode::max};
  TORCH_CHECK(mode >= 0 && mode < 3, "embedding_bag: mode must be 0 (sum), 1 (mean) or 2 (max), but got ", mode);
  const MT y = m::embedding_bag(weight, indices.to(m::int64), offsets.defined() ? offsets.to(m::int64) : offsets,
                                {.mode = modes[mode],
                                 .sample_weights = sample_weights,
                                 .include_last_offset = include_last_offset,
                                 .padding_index = padding});
  const MT none = m::empty(0, {.dtype = m::int64});
  return {y, none, none, none};
}

Tensor dropout(const Tensor& x, double p, bool train) {
  return F::dropout(x, F::DropoutFuncOptions().p(p).training(train));
}
Tensor feature_dropout(const Tensor& x, double p, bool train) {
  if (x.dim() == 5) return F::dropout3d(x, F::Dropout3dFuncOptions().p(p).training(train));
  return F::dropout2d(x, F::Dropout2dFuncOptions().p(p).training(train));
}
Tensor alpha_dropout(const Tensor& x, double p, bool train) {
  return F::alpha_dropout(x, F::AlphaDropoutFuncOptions().p(p).training(train));
}
Tensor feature_alpha_dropout(const Tensor& x, double p, bool train) {
  return F::feature_alpha_dropout(x, F::FeatureAlphaDropoutFuncOptions().p(p).training(train));
}

double epsilon(const MT& x) {
  switch (x.dtype()) {
    case m::float64: return std::numeric_limits<double>::epsilon();
    case m::float16: return 9.765625e-4;
    case m::bfloat16: return 7.8125e-3;
    default: return std::numeric_limits<float>::epsilon();
  }
}

std::vector<minima::RecurrentWeights> weights(std::span<const MT> parameters, bool has_biases, std::int64_t layers,
                                              bool bidirectional) {
  const auto count = static_cast<std::size_t>(layers) * (bidirectional ? 2 : 1);
  const std::size_t each = has_biases ? 4 : 2;
  TORCH_CHECK(parameters.size() == count * each || parameters.size() == count * (each + 1), "expected ", count * each,
              " weights, or ", count * (each + 1), " with projections, but got ", parameters.size());
  const bool is_projected = parameters.size() > count * each;
  std::vector<m::RecurrentWeights> made;
  for (auto next = parameters.begin(); next != parameters.end();) {
    m::RecurrentWeights& layer = made.emplace_back();
    layer.w_ih = *next++;
    layer.w_hh = *next++;
    if (has_biases) layer.b_ih = *next++, layer.b_hh = *next++;
    if (is_projected) layer.w_hr = *next++;
  }
  return made;
}

std::tuple<Tensor, Tensor> lstm_cell(const MT& x, const MT& h, const MT& c, const minima::RecurrentWeights& weights) {
  const m::LstmResult next = m::lstm(m::unsqueeze(x, 0), m::unsqueeze(h, 0), m::unsqueeze(c, 0), {&weights, 1}, {});
  return {m::squeeze(next.h, 0), m::squeeze(next.c, 0)};
}
MT cell(const MT& x, const MT& h, const minima::RecurrentWeights& weights,
        minima::RecurrentResult (*f)(const MT&, const MT&, std::span<const minima::RecurrentWeights>,
                                     const minima::RecurrentOptions&)) {
  return m::squeeze(f(m::unsqueeze(x, 0), m::unsqueeze(h, 0), {&weights, 1}, {}).h, 0);
}

}  // namespace at::bridge
