#pragma once

#include <minima/nn/module/function_module.h>
#include <minima/nn/module/module.h>
#include <minima/ops/arrange/arrange.h>
#include <minima/ops/distance/distance.h>
#include <minima/ops/elementwise/elementwise.h>
#include <minima/ops/embedding_bag/embedding_bag.h>
#include <minima/ops/shape/shape.h>
#include <minima/tensor/random/generator.h>

#include <optional>

// Layers and functions that few networks need: paddings, and others of torch.nn as modules.

namespace minima {

/// softmax(-x).
MINIMA_API Tensor softmin(const Tensor& x, std::int64_t dim);
/// Exchanges the places of channels: x [N, C, …] as [N, groups, C / groups, …] with the two transposed (Zhang et al.
/// 2018). Throws ValueError unless groups divides C.
MINIMA_API Tensor channel_shuffle(const Tensor& x, std::int64_t groups);
/// leaky_relu with a slope per element, uniform on [lower, upper), in training; with their mean otherwise.
MINIMA_API Tensor rrelu(const Tensor& x, double lower = 1. / 8, double upper = 1. / 3, bool training = false,
                        RandomGenerator* generator = nullptr);
/// aᵀ·W_k·b + bias_k for each output k: a [..., A], b [..., B], weight [K, A, B], bias [K] → [..., K].
MINIMA_API Tensor bilinear(const Tensor& a, const Tensor& b, const Tensor& weight, const Tensor& bias = {});

}  // namespace minima

namespace minima::nn {

struct PaddingOptions {
  Shape amounts = {};  ///< one number for all sides, or {left, right, …} from the last dimension on
  double value = 0;    ///< of constant padding
};
/// `pad` of the last `dims` dimensions as a module: `nn::ReflectionPad2d({.amounts = 1})`. torch.nn.ConstantPad2d and
/// the like.
template <PadMode mode, int dims>
class Padding : public Module {
 public:
  explicit Padding(const PaddingOptions& given) : options(given) {
    if (options.amounts.rank() == 1) options.amounts = Shape::filled(2 * dims, options.amounts[0]);
  }
  Tensor forward(const Tensor& x) override { return pad(x, options.amounts, mode, options.value); }
  PaddingOptions options;
};
using ConstantPad1d = Padding<PadMode::constant, 1>;
using ConstantPad2d = Padding<PadMode::constant, 2>;
using ConstantPad3d = Padding<PadMode::constant, 3>;
using ZeroPad1d = Padding<PadMode::constant, 1>;
using ZeroPad2d = Padding<PadMode::constant, 2>;
using ZeroPad3d = Padding<PadMode::constant, 3>;
using ReflectionPad1d = Padding<PadMode::reflect, 1>;
using ReflectionPad2d = Padding<PadMode::reflect, 2>;
using ReflectionPad3d = Padding<PadMode::reflect, 3>;
using ReplicationPad1d = Padding<PadMode::replicate, 1>;
using ReplicationPad2d = Padding<PadMode::replicate, 2>;
using ReplicationPad3d = Padding<PadMode::replicate, 3>;
using CircularPad1d = Padding<PadMode::circular, 1>;
using CircularPad2d = Padding<PadMode::circular, 2>;
using CircularPad3d = Padding<PadMode::circular, 3>;

/// x - tanh(x), torch.nn.Tanhshrink.
struct MINIMA_API Tanhshrink : FunctionModule<tanhshrink> {};

struct SoftminOptions {
  std::int64_t dim = -1;
};
/// softmin, torch.nn.Softmin.
struct MINIMA_API Softmin : FunctionModule<softmin, SoftminOptions, &SoftminOptions::dim> {
  using FunctionModule::FunctionModule;
};
/// Softmax over the channels of x [N, C, H, W] or [C, H, W], torch.nn.Softmax2d.
class MINIMA_API Softmax2d : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};
/// x where x > limit, `value` elsewhere, torch.nn.Threshold.
class MINIMA_API Threshold : public Module {
 public:
  Threshold(double limit, double value) : limit(limit), value(value) {}
  Tensor forward(const Tensor& x) override { return threshold(x, limit, value); }
  double limit, value;
};
/// Splits a dimension into several, torch.nn.Unflatten: `nn::Unflatten(1, {3, 8, 8})`.
class MINIMA_API Unflatten : public Module {
 public:
  Unflatten(std::int64_t dim, const Shape& sizes) : dim(dim), sizes(sizes) {}
  Tensor forward(const Tensor& x) override { return unflatten(x, dim, sizes); }
  std::int64_t dim;
  Shape sizes;
};
/// channel_shuffle, torch.nn.ChannelShuffle.
class MINIMA_API ChannelShuffle : public Module {
 public:
  explicit ChannelShuffle(std::int64_t groups) : groups(groups) {}
  Tensor forward(const Tensor& x) override { return channel_shuffle(x, groups); }
  std::int64_t groups;
};
struct RReLUOptions {
  double lower = 1. / 8, upper = 1. / 3;
};
/// rrelu, torch.nn.RReLU.
class MINIMA_API RReLU : public Module {
 public:
  explicit RReLU(const RReLUOptions& given = {}) : options(given) {}
  Tensor forward(const Tensor& x) override { return rrelu(x, options.lower, options.upper, is_training()); }
  RReLUOptions options;
};

struct CosineSimilarityOptions {
  std::int64_t dim = 1;
  double eps = 1e-8;
};
/// cosine_similarity of two tensors, torch.nn.CosineSimilarity.
class MINIMA_API CosineSimilarity : public ModuleOf<CosineSimilarity> {
 public:
  explicit CosineSimilarity(const CosineSimilarityOptions& given = {}) : options(given) {}
  Tensor forward(const Tensor& a, const Tensor& b) { return cosine_similarity(a, b, options.dim, options.eps); }
  CosineSimilarityOptions options;
};
struct PairwiseDistanceOptions {
  double p = 2, eps = 1e-6;
  bool keep_dim = false;
};
/// pairwise_distance of two tensors, torch.nn.PairwiseDistance.
class MINIMA_API PairwiseDistance : public ModuleOf<PairwiseDistance> {
 public:
  explicit PairwiseDistance(const PairwiseDistanceOptions& given = {}) : options(given) {}
  Tensor forward(const Tensor& a, const Tensor& b) {
    return pairwise_distance(a, b, options.p, options.eps, options.keep_dim);
  }
  PairwiseDistanceOptions options;
};

struct BilinearOptions {
  std::int64_t in1 = 0, in2 = 0, out = 0;
  bool bias = true;
};
/// bilinear with a learned weight, torch.nn.Bilinear, initialised as there: uniform on ±1/√in1.
class MINIMA_API Bilinear : public ModuleOf<Bilinear> {
 public:
  /// Throws ValueError unless all sizes are at least 1.
  explicit Bilinear(const BilinearOptions& options);
  Tensor forward(const Tensor& a, const Tensor& b) { return bilinear(a, b, weight, bias); }
  void reset_parameters();

  BilinearOptions options;
  Parameter weight;  ///< [out, in1, in2]
  Parameter bias;    ///< [out]; undefined without bias
};

struct EmbeddingBagLayerOptions {
  std::int64_t count = 0;  ///< rows V
  std::int64_t dim = 0;    ///< columns D
  BagMode mode = BagMode::mean;
  bool include_last_offset = false;          ///< the last offset is the end of the last bag
  std::optional<std::int64_t> padding = {};  ///< a row that is initialised to 0 and that bags skip
};
/// embedding_bag of a learned table, torch.nn.EmbeddingBag: index [B, N], or [N] with offsets [B] → [B, D]. The weight
/// is initialised from N(0, 1).
class MINIMA_API EmbeddingBag : public ModuleOf<EmbeddingBag> {
 public:
  /// Throws ValueError for sizes below 1 or a padding row out of range.
  explicit EmbeddingBag(const EmbeddingBagLayerOptions& options);
  Tensor forward(const Tensor& index, const Tensor& offsets = {}, const Tensor& sample_weights = {});
  void reset_parameters();

  EmbeddingBagLayerOptions options;
  Parameter weight;  ///< [V, D]
};

}  // namespace minima::nn
