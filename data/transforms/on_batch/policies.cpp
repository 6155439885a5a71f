#include <minima/data/transforms/on_batch/on_batch.h>

#include <minima/autograd/mode.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/auto_augment.h>
#include <minima/data/transforms/change_pixels.h>
#include <minima/data/transforms/on_batch/planes.h>
#include <minima/data/transforms/transforms.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <vector>

namespace minima::data {

namespace {

using namespace detail;

Tensor expect_bytes(const char* what, const Tensor& x, Streams random) {
  expect_images(what, x, random);
  if (x.dtype() != DType::uint8) throw DTypeError(str(what, ": expected uint8 images, got ", x));
  if (x.size(3) != 1 && x.size(3) != 3) throw ShapeError(str(what, ": expected 1 or 3 channels, got ", x));
  return contiguous(x);
}

template <class Rule>
Tensor by_policy(const char* what, const Rule& rule, const Tensor& images, Streams random) {
  const Tensor x = expect_bytes(what, images, random);
  std::vector<PixelChanges> changes;
  for (RandomStream& stream : random) changes.push_back(draw_changes(rule, x.size(1), x.size(2), stream));
  return changed(x, changes);
}

}  // namespace

Tensor transform_batch(const RandAugment& rule, const Tensor& x, Streams random) {
  return by_policy("RandAugment", rule, x, random);
}

Tensor transform_batch(const AutoAugment& rule, const Tensor& x, Streams random) {
  return by_policy("AutoAugment", rule, x, random);
}

Tensor transform_batch(const TrivialAugmentWide& rule, const Tensor& x, Streams random) {
  return by_policy("TrivialAugmentWide", rule, x, random);
}

Tensor transform_batch(const AugMix& rule, const Tensor& images, Streams random) {
  const Tensor x = expect_bytes("AugMix", images, random);
  const NoGrad off_record;
  std::vector<PixelMixture> drawn;
  for (RandomStream& stream : random) drawn.push_back(draw_mixture(rule, x.size(1), x.size(2), stream));
  const auto weighted = [&](const Tensor& part, const auto& share) {
    std::vector<double> shares;
    shares.reserve(drawn.size());
    for (const PixelMixture& of_image : drawn) shares.push_back(share(of_image));
    return part.to(DType::float32) * per_image(x, shares, {-1, 1, 1, 1});
  };
  Tensor mixture = weighted(x, [](const PixelMixture& m) { return m.kept; });
  for (std::size_t k = 0; k < static_cast<std::size_t>(rule.width); ++k) {
    std::vector<PixelChanges> chains;
    chains.reserve(drawn.size());
    for (const PixelMixture& of_image : drawn) chains.push_back(of_image.chains[k]);
    mixture = mixture + weighted(changed(x, chains), [k](const PixelMixture& m) { return m.shares[k]; });
  }
  // Cut off, as a cast does; sums of float32 shares may lack this much to the whole number that they are.
  return clamp(floor(mixture + 1e-3), 0, 255).to(DType::uint8);
}

}  // namespace minima::data
