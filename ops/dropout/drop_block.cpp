#include <minima/ops/dropout/dropout.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/op_support.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/pad.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace minima {

namespace {

Tensor drop_block(const char* op, const Tensor& x, std::int64_t dims, double p, std::int64_t block, bool training,
                  RandomGenerator* generator) {
  detail::check_defined(op, x);
  if (!is_floating(x.dtype())) throw DTypeError(str(op, ": x must be floating, got ", x, "; convert it with to()"));
  if (x.rank() != dims + 2)
    throw ShapeError(str(op, ": x must be ", dims == 2 ? "[N, C, H, W]" : "[N, C, D, H, W]", ", got ", x));
  if (!(p >= 0 && p <= 1)) throw ValueError(str(op, ": p must be in [0, 1], got ", p));
  if (block < 1) throw ValueError(str(op, ": the block must be at least 1, got ", block));
  if (!training || p == 0 || x.numel() == 0) return x;
  std::int64_t side = block;
  for (std::int64_t d = 0; d < dims; ++d) side = std::min(side, x.size(2 + d));
  // A block begins at each of these places with a probability that drops a share p of all elements.
  Shape places{x.size(0), x.size(1)}, borders;
  double elements = 1, room = 1;
  for (std::int64_t d = 0; d < dims; ++d) {
    places.push_back(x.size(2 + d) - side + 1);
    elements *= static_cast<double>(x.size(2 + d));
    room *= static_cast<double>(places.back());
    borders.push_back(side - 1);
    borders.push_back(side - 1);
  }
  const double begin = std::min(1.0, p * elements / (std::pow(static_cast<double>(side), dims) * room));
  const Tensor begins = bernoulli(full(places, begin, {.device = x.device()}), generator);
  const Tensor padded = pad(begins, borders);
  const Tensor dropped =
      dims == 2 ? max_pool2d(padded, {.kernel = side, .stride = 1}) : max_pool3d(padded, {.kernel = side, .stride = 1});
  const Tensor kept = 1 - dropped;
  const Tensor scale = static_cast<double>(x.numel()) / (sum(kept) + 1e-6);
  return x * (kept * scale).to(x.dtype());
}

}  // namespace

Tensor drop_block2d(const Tensor& x, double p, std::int64_t block, bool training, RandomGenerator* generator) {
  return drop_block("drop_block2d", x, 2, p, block, training, generator);
}

Tensor drop_block3d(const Tensor& x, double p, std::int64_t block, bool training, RandomGenerator* generator) {
  return drop_block("drop_block3d", x, 3, p, block, training, generator);
}

}  // namespace minima
