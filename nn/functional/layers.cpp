#include <minima/nn/functional/layers.h>

#include <minima/autograd/mode.h>
#include <minima/nn/init/init.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstdint>

namespace minima {

Tensor softmin(const Tensor& x, std::int64_t dim) { return softmax(neg(x), dim); }

Tensor channel_shuffle(const Tensor& x, std::int64_t groups) {
  if (x.rank() < 3) throw ShapeError(str("channel_shuffle: needs x [N, C, ...], got ", x));
  if (groups < 1 || x.size(1) % groups != 0)
    throw ValueError(str("channel_shuffle: groups = ", groups, " must divide the ", x.size(1), " channels"));
  return flatten(transpose(unflatten(x, 1, {groups, x.size(1) / groups}), 1, 2), 1, 2);
}

Tensor rrelu(const Tensor& x, double lower, double upper, bool training, RandomGenerator* generator) {
  detail::check_number("rrelu", "lower", lower, detail::finite);
  detail::check_number("rrelu", "upper", upper, detail::finite);
  if (!(lower <= upper)) throw ValueError(str("rrelu: lower = ", lower, " must be at most upper = ", upper));
  if (!training) return leaky_relu(x, (lower + upper) / 2);
  const Tensor slopes = no_grad(
      [&] { return (lower + (upper - lower) * rand(x.shape(), {.device = x.device()}, generator)).to(x.dtype()); });
  return where(x >= 0, x, x * slopes);
}

Tensor bilinear(const Tensor& a, const Tensor& b, const Tensor& weight, const Tensor& bias) {
  if (weight.rank() != 3 || a.rank() < 1 || b.rank() < 1 || a.size(-1) != weight.size(1) ||
      b.size(-1) != weight.size(2))
    throw ShapeError(
        str("bilinear: needs a [..., A], b [..., B] and weight [K, A, B], got ", a, ", ", b, " and ", weight));
  const Tensor y = einsum("...i,kij,...j->...k", {a, weight, b});
  return bias.defined() ? y + bias : y;
}

}  // namespace minima

namespace minima::nn {

Tensor Softmax2d::forward(const Tensor& x) {
  if (x.rank() != 3 && x.rank() != 4) throw ShapeError(str("Softmax2d: needs x [N, C, H, W] or [C, H, W], got ", x));
  return softmax(x, -3);
}

namespace {

const BilinearOptions& checked_bilinear(const BilinearOptions& options) {
  detail::expect_at_least("Bilinear", "in1", 1, options.in1);
  detail::expect_at_least("Bilinear", "in2", 1, options.in2);
  detail::expect_at_least("Bilinear", "out", 1, options.out);
  return options;
}

const EmbeddingBagLayerOptions& checked_bag(const EmbeddingBagLayerOptions& options) {
  detail::expect_at_least("EmbeddingBag", "count", 1, options.count);
  detail::expect_at_least("EmbeddingBag", "dim", 1, options.dim);
  if (options.padding && (*options.padding < 0 || *options.padding >= options.count))
    throw ValueError(str("EmbeddingBag: padding = ", *options.padding, " is not one of ", options.count, " rows"));
  return options;
}

}  // namespace

Bilinear::Bilinear(const BilinearOptions& given)
    : options(checked_bilinear(given)),
      weight(parameter("weight", empty({options.out, options.in1, options.in2}))),
      bias(parameter("bias", options.bias ? empty({options.out}) : Tensor())) {
  reset_parameters();
}

void Bilinear::reset_parameters() {
  const double bound = 1 / std::sqrt(static_cast<double>(options.in1));
  init::uniform_(weight, -bound, bound);
  if (bias.defined()) init::uniform_(bias, -bound, bound);
}

EmbeddingBag::EmbeddingBag(const EmbeddingBagLayerOptions& given)
    : options(checked_bag(given)), weight(parameter("weight", empty({options.count, options.dim}))) {
  reset_parameters();
}

void EmbeddingBag::reset_parameters() {
  init::normal_(weight);
  if (!options.padding) return;
  const NoGrad guard;
  zero_(select(weight, 0, *options.padding));
}

Tensor EmbeddingBag::forward(const Tensor& index, const Tensor& offsets, const Tensor& sample_weights) {
  return embedding_bag(weight, index, offsets,
                       {.mode = options.mode,
                        .sample_weights = sample_weights,
                        .include_last_offset = options.include_last_offset,
                        .padding_index = options.padding.value_or(-1)});
}

}  // namespace minima::nn
