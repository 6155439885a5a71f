#include <torch/nn/functional/upsampling.h>

#include <minima/ops/image/interpolate.h>
#include <minima/ops/index/select.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/pooling/avg_pool.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "support.h"

namespace torch::nn::functional {

namespace {

using Mode = InterpolateFuncOptions::mode_t;

/// How many dimensions the inputs of a mode have; 0 for 3 to 5.
int rank_of(const Mode& mode) {
  if (std::holds_alternative<enumtype::kLinear>(mode)) return 3;
  if (std::holds_alternative<enumtype::kBilinear>(mode) || std::holds_alternative<enumtype::kBicubic>(mode)) return 4;
  return std::holds_alternative<enumtype::kTrilinear>(mode) ? 5 : 0;
}

void check_rank(int rank, const Mode& mode) {
  const int wanted = rank_of(mode);
  const bool is_bicubic = std::holds_alternative<enumtype::kBicubic>(mode);
  TORCH_CHECK(rank >= 3 && rank <= 5 && (!is_bicubic || rank == 4),
              "Input Error: Only 3D, 4D and 5D input Tensors supported (got ", rank,
              "D) for the modes: nearest | linear | bilinear | bicubic | trilinear (got ",
              enumtype::get_enum_name(mode), ")");
  const char* const name = wanted == 3 ? "linear" : wanted == 4 ? "bilinear" : "trilinear";
  TORCH_CHECK(wanted == 0 || wanted == rank, "Got ", rank, "D input, but ", name, " mode needs ", wanted, "D input");
}

/// The size of each spatial dimension, and its scale where that decides what is sampled.
struct Target {
  std::vector<std::int64_t> size;
  std::vector<double> scale;
};

Target target_of(const minima::Tensor& x, const InterpolateFuncOptions& options) {
  const auto dims = static_cast<std::size_t>(x.rank()) - 2;
  const auto& size = options.size();
  const auto& scale = options.scale_factor();
  TORCH_CHECK(size || scale, "either size or scale_factor should be defined");
  TORCH_CHECK(!size || !scale, "only one of size or scale_factor should be defined");
  if (size) {
    TORCH_CHECK(size->size() == dims, "It is expected output_size equals to ", dims, ", but got size ", size->size());
    return {*size, {}};
  }
  TORCH_CHECK(scale->size() == dims, "scale_factor shape must match input shape. Input is ", dims,
              "D, scale_factor size is ", ArrayRef<double>(*scale));
  if (!options.recompute_scale_factor() &&
      std::any_of(scale->begin(), scale->end(), [](double s) { return std::floor(s) != s; }))
    TORCH_WARN(
        "The default behavior for interpolate/upsample with float scale_factor changed in 1.6.0 to align with other "
        "frameworks/libraries, and uses scale_factor directly, instead of relying on the computed output size. If you "
        "wish to keep the old behavior, please set recompute_scale_factor=True. See the documentation of nn.Upsample "
        "for details. ");
  Target target;
  for (std::size_t d = 0; d < dims; ++d) {
    const double exact = static_cast<double>(x.size(static_cast<std::int64_t>(d) + 2)) * (*scale)[d];
    target.size.push_back(static_cast<std::int64_t>(std::floor(exact)));
  }
  if (!options.recompute_scale_factor().value_or(false)) target.scale = *scale;
  return target;
}

minima::Tensor area(const minima::Tensor& x, const std::vector<std::int64_t>& size) {
  if (size.size() == 1) return minima::adaptive_avg_pool1d(x, size[0]);
  if (size.size() == 2) return minima::adaptive_avg_pool2d(x, {size[0], size[1]});
  return minima::adaptive_avg_pool3d(x, {size[0], size[1], size[2]});
}

/// Element ⌊(i + ½) / scale⌋ along each dimension, in float32 as in LibTorch.
minima::Tensor nearest_exact(minima::Tensor x, const Target& target) {
  for (std::size_t d = 0; d < target.size.size(); ++d) {
    const auto dim = static_cast<std::int64_t>(d) + 2;
    const std::int64_t size = x.size(dim), results = target.size[d];
    const float step = target.scale.empty() ? static_cast<float>(size) / static_cast<float>(results)
                                            : static_cast<float>(1 / target.scale[d]);
    std::vector<std::int64_t> places(static_cast<std::size_t>(results));
    for (std::int64_t i = 0; i < results; ++i) {
      const auto place = static_cast<std::int64_t>(std::floor((static_cast<float>(i) + 0.5F) * step));
      places[static_cast<std::size_t>(i)] = std::min(place, size - 1);
    }
    x = minima::index_select(x, dim, minima::from_vector(places, {results}).to(x.device()));
  }
  return x;
}

minima::InterpolateMode native_mode(const Mode& mode) {
  if (std::holds_alternative<enumtype::kNearest>(mode)) return minima::InterpolateMode::nearest;
  return std::holds_alternative<enumtype::kBicubic>(mode) ? minima::InterpolateMode::cubic
                                                          : minima::InterpolateMode::linear;
}

}

Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options) {
  const minima::Tensor& x = input;
  const Mode& mode = options.mode();
  const bool is_area = std::holds_alternative<enumtype::kArea>(mode);
  if (is_area || std::holds_alternative<enumtype::kNearest>(mode)) {
    TORCH_CHECK(!options.align_corners(),
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
                "trilinear");
  } else if (!options.align_corners()) {
    TORCH_WARN("Default upsampling behavior when mode=", enumtype::get_enum_name(mode),
               " is changed to align_corners=False since 0.4.0. Please specify align_corners=True if the old behavior "
               "is desired. See the documentation of nn.Upsample for details.");
  }
  check_rank(x.rank(), mode);
  TORCH_CHECK(!options.antialias() || rank_of(mode) == 4,
              "Anti-alias option is only supported for bilinear and bicubic modes");
  const Target target = target_of(x, options);
  if (is_area) return area(x, target.size);
  if (std::holds_alternative<enumtype::kNearestExact>(mode)) return nearest_exact(x, target);

  minima::InterpolateOptions native{.mode = native_mode(mode),
                                    .align_corners = options.align_corners().value_or(false),
                                    .antialias = options.antialias()};
  if (target.scale.empty()) native.size = shape_of(target.size);
  else native.scale = target.scale;
  if (minima::is_floating(x.dtype())) return minima::interpolate(x, native);
  return minima::round(minima::interpolate(x.to(minima::float32), native)).to(x.dtype());
}

}
