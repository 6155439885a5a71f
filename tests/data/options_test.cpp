#include "tests/support/options.h"
#include "tests/support/temporary_folder.h"

#include <minima/data/collate/collate.h>
#include <minima/data/dataset.h>
#include <minima/data/datasets/tar_shards.h>
#include <minima/data/datasets/tokens.h>
#include <minima/data/images/decode.h>
#include <minima/data/loader/loader.h>
#include <minima/data/packing/packed_tokens.h>
#include <minima/data/sampling/sampler.h>
#include <minima/data/transforms/auto_augment.h>
#include <minima/data/transforms/batch.h>
#include <minima/data/transforms/distort.h>
#include <minima/data/transforms/on_batch/on_batch.h>
#include <minima/data/transforms/to_tensor.h>
#include <minima/data/transforms/transforms.h>
#include <minima/data/transforms/whole_image.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace minima::data::options_test {
namespace {

using i64 = std::int64_t;
using test::OptionRow;

Tensor image() { return ones({6, 6, 3}, {.dtype = uint8}); }
Tensor floats() { return ones({3, 6, 6}); }

template <class Transform>
concept OfBatches =
    requires(const Transform& transform, const Tensor& x, Streams streams) { transform_batch(transform, x, streams); };
/// Applies a transform that draws, with several streams, to an image and, where it can, to a batch, which must be
/// refused alike.
template <class Transform>
void draw(const Transform& transform, const Tensor& x = image()) {
  std::vector<RandomStream> streams;
  for (std::uint64_t key = 0; key < 8; ++key) streams.emplace_back(key);
  std::string error;
  if constexpr (OfBatches<Transform>) try {
      transform_batch(transform, expand(x, {8, x.size(0), x.size(1), x.size(2)}), Streams(streams));
    } catch (const ValueError& refused) {
      error = refused.what();
    }
  const bool is_too_large = error.find("float32 cannot hold") != std::string::npos;  // infinity in an image
  try {
    for (std::uint64_t key = 0; key < 8; ++key) {
      RandomStream random(key);
      transform(x, random);
    }
  } catch (const ValueError& refused) {
    if (OfBatches<Transform> && error.empty()) ADD_FAILURE() << "only an image is refused: " << refused.what();
    throw;
  }
  if (!error.empty() && !is_too_large) ADD_FAILURE() << "only a batch is refused: " << error;
}
void load(const LoaderOptions& options) {
  DataLoader loader(TensorDataset(ones({4})), options);
  for (const auto& each : loader) static_cast<void>(each);
}

void pack(const PackedTokensOptions& options) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/tokens.bin";
  write_tokens(path, std::vector<std::int64_t>{0, 3, 4, 5, 0, 6, 7, 0, 8, 9});
  const PackedTokens tokens(path, options);
}

std::vector<OptionRow> loaders() {
  return {
      {"PackedTokensOptions.length", "[1, 2147483647]", [](i64 v) { pack({.length = v, .end = 0}); }},
      {"PackedTokensOptions.end", "[-inf, inf]", [](i64 v) { pack({.end = v}); }},
      {"PackedTokensOptions.vocabulary", "[0, inf)", [](i64 v) { pack({.end = 0, .vocabulary = v}); }},
      {"PackedTokensOptions.held_out", "[0, 1)", [](double v) { pack({.end = 0, .held_out = v}); }},
      {"LoaderOptions.batch_size", "[1, 2147483647]", [](i64 v) { load({.batch_size = v}); }},
      {"LoaderOptions.workers", "[0, 1024]", [](int v) { load({.workers = v}); }},
      {"LoaderOptions.prefetch", "[1, 65536]", [](int v) { load({.prefetch = v}); }},
      {"LoaderOptions.seed", "[-inf, inf]", [](i64 v) { load({.seed = static_cast<std::uint64_t>(v)}); }},
      {"LoaderOptions.rank", "[0, 0]", [](int v) { load({.rank = v}); }},
      {"LoaderOptions.world_size", "[1, 2147483647]", [](int v) { load({.world_size = v}); }},
      {"LoaderOptions.device_prefetch", "[1, 65536]", [](int v) { load({.device_prefetch = v}); }},
      {"LoaderOptions.timeout", "[0, inf]", [](double v) { load({.workers = 1, .timeout = v}); }, "waits for ever",
       "no batch after"},
      {"LoaderOptions.grace", "[0, inf]", [](double v) { load({.workers = 1, .grace = v}); }, "waits for ever"},
      {"LoaderOptions.retries", "[0, inf)", [](int v) { load({.retries = v}); }},
      {"LoaderOptions.trace_events", "[0, 100000000]", [](i64 v) { load({.trace_events = v}); }},
      {"ShardOptions.shuffle_buffer", "[0, inf)", [](i64 v) { TarShards("none.tar", {.shuffle_buffer = v}); }},
      {"ShardOptions.max_bytes", "[1, inf)", [](i64 v) { TarShards("none.tar", {.max_bytes = v}); }},
      {"DecodeOptions.channels", "[1, 3]", [](int v) { decode_image({}, "none", {.channels = v}); }},
      {"DecodeOptions.min_side", "[0, inf)", [](i64 v) { decode_image({}, "none", {.min_side = v}); }},
      {"DecodeOptions.max_pixels", "[1, inf)", [](i64 v) { decode_image({}, "none", {.max_pixels = v}); }},
      {"PadTensors.multiple", "[1, inf)",
       [](i64 v) {
         const Tensor row = ones({3});
         const Tensor* const rows[] = {&row, &row};
         Tensor into;
         PadTensors{.multiple = v}(rows, into, false);
       }},
      {"Priorities.count", "[0, inf)", [](i64 v) { Priorities priorities(v); }},
      {"weighted_sampler.count", "[0, inf)", [](i64 v) { weighted_sampler({1, 2}, v, 0); }},
      {"weighted_sampler.weights", "[0, inf)", [](double v) { weighted_sampler({v, 1}, 2, 0); }, "", "weight"},
      {"mixture_sampler.count", "[0, inf)", [](i64 v) { mixture_sampler({4, 4}, {1, 1}, v, 0); }},
      {"bucket_sampler.batch_size", "[1, inf)", [](i64 v) { bucket_sampler({1, 2}, v, 0); }},
  };
}

std::vector<OptionRow> crops_and_flips() {
  return {
      {"Resize.size", "[1, inf)", [](i64 v) { Resize{v}(image()); }},
      {"Resize.size", "[1, inf)", [](i64 v) { Resize{{4, v}}(image()); }},
      {"CenterCrop.size", "[1, inf)", [](i64 v) { CenterCrop{v}(image()); }},
      {"FiveCrop.size", "[1, inf)", [](i64 v) { FiveCrop{v}(image()); }},
      {"TenCrop.size", "[1, inf)", [](i64 v) { TenCrop{v}(image()); }},
      {"RandomCrop.size", "[1, inf)", [](i64 v) { draw(RandomCrop{.size = v}); }},
      {"RandomCrop.padding", "[0, inf)", [](i64 v) { draw(RandomCrop{.size = 4, .padding = v}); }},
      {"RandomResizedCrop.size", "[1, inf)", [](i64 v) { draw(RandomResizedCrop{.size = v}); }},
      {"RandomResizedCrop.scale", "(0, 1]", [](double v) { draw(RandomResizedCrop{.size = 4, .scale = {v, 1}}); }},
      {"RandomResizedCrop.scale", "[0.08, 1]",
       [](double v) { draw(RandomResizedCrop{.size = 4, .scale = {0.08, v}}); }},
      {"RandomResizedCrop.ratio", "(0, 1.3]", [](double v) { draw(RandomResizedCrop{.size = 4, .ratio = {v, 1.3}}); }},
      {"RandomResizedCrop.ratio", "[0.75, inf)",
       [](double v) { draw(RandomResizedCrop{.size = 4, .ratio = {0.75, v}}); }},
      {"RandomHorizontalFlip.probability", "[0, 1]", [](double v) { draw(RandomHorizontalFlip{v}); }},
      {"RandomVerticalFlip.probability", "[0, 1]", [](double v) { draw(RandomVerticalFlip{v}); }},
      {"Pad.left", "[0, inf)", [](i64 v) { draw(Pad{.left = v}); }, "", "borders"},
      {"Pad.top", "[0, inf)", [](i64 v) { draw(Pad{.top = v}); }, "", "borders"},
      {"Pad.right", "[0, inf)", [](i64 v) { draw(Pad{.right = v}); }, "", "borders"},
      {"Pad.bottom", "[0, inf)", [](i64 v) { draw(Pad{.bottom = v}); }, "", "borders"},
      {"Pad.fill", "[0, 255]", [](double v) { draw(Pad{.left = 1, .fill = v}); }},
      {"RandomErasing.probability", "[0, 1]", [](double v) { draw(RandomErasing{.probability = v}, floats()); }},
      {"RandomErasing.scale", "(0, 0.33]",
       [](double v) { draw(RandomErasing{.probability = 1, .scale = {v, 0.33}}, floats()); }},
      {"RandomErasing.scale", "[0.02, 1]",
       [](double v) { draw(RandomErasing{.probability = 1, .scale = {0.02, v}}, floats()); }},
      {"RandomErasing.ratio", "(0, 3.3]",
       [](double v) { draw(RandomErasing{.probability = 1, .ratio = {v, 3.3}}, floats()); }},
      {"RandomErasing.ratio", "[0.3, inf)",
       [](double v) { draw(RandomErasing{.probability = 1, .ratio = {0.3, v}}, floats()); }},
      {"RandomErasing.value", "any", [](double v) { draw(RandomErasing{.probability = 1, .value = v}, floats()); },
       "marks what is erased"},
      {"Normalize.mean", "(-inf, inf)", [](double v) { Normalize{{v, 0, 0}, {1, 1, 1}}(floats()); }},
      {"Normalize.std", "(0, inf)", [](double v) { Normalize{{0, 0, 0}, {1, v, 1}}(floats()); }},
  };
}

std::vector<OptionRow> colours_and_warps() {
  return {
      {"ColorJitter.brightness", "[0, inf)", [](double v) { draw(ColorJitter{.brightness = v}); }},
      {"ColorJitter.contrast", "[0, inf)", [](double v) { draw(ColorJitter{.contrast = v}); }},
      {"ColorJitter.saturation", "[0, inf)", [](double v) { draw(ColorJitter{.saturation = v}); }},
      {"ColorJitter.hue", "[0, 0.5]", [](double v) { draw(ColorJitter{.hue = v}); }},
      {"Grayscale.channels", "[1, 3]", [](int v) { Grayscale{v}(image()); }},
      {"RandomGrayscale.probability", "[0, 1]", [](double v) { draw(RandomGrayscale{v}); }},
      {"RandomInvert.probability", "[0, 1]", [](double v) { draw(RandomInvert{v}); }},
      {"RandomApply.probability", "[0, 1]", [](double v) { draw(RandomApply(RandomInvert{1}, v)); }},
      {"GaussianBlur.kernel", "[1, inf)", [](i64 v) { draw(GaussianBlur{.kernel = v}); }},
      {"GaussianBlur.sigma", "(0, 2]", [](double v) { draw(GaussianBlur{.sigma = {v, 2}}); }},
      {"GaussianBlur.sigma", "[0.1, inf)", [](double v) { draw(GaussianBlur{.sigma = {0.1, v}}); }},
      {"RandomRotation.degrees", "[0, inf)", [](double v) { draw(RandomRotation{.degrees = v}); }},
      {"RandomRotation.fill", "[0, 255]", [](double v) { draw(RandomRotation{.degrees = 90, .fill = v}); }},
      {"RandomAffine.degrees", "[0, inf)", [](double v) { draw(RandomAffine{.degrees = v}); }},
      {"RandomAffine.translate_x", "[0, 1]", [](double v) { draw(RandomAffine{.translate_x = v}); }},
      {"RandomAffine.translate_y", "[0, 1]", [](double v) { draw(RandomAffine{.translate_y = v}); }},
      {"RandomAffine.scale", "(0, 1]", [](double v) { draw(RandomAffine{.scale = {v, 1}}); }},
      {"RandomAffine.scale", "[1, inf)", [](double v) { draw(RandomAffine{.scale = {1, v}}); }},
      {"RandomAffine.shear_x", "[0, inf)", [](double v) { draw(RandomAffine{.shear_x = v}); }},
      {"RandomAffine.shear_y", "[0, inf)", [](double v) { draw(RandomAffine{.shear_y = v}); }},
      {"RandomAffine.fill", "[0, 255]", [](double v) { draw(RandomAffine{.degrees = 90, .fill = v}); }},
      {"RandomPerspective.distortion", "[0, 1]",
       [](double v) { draw(RandomPerspective{.distortion = v, .probability = 1}); }},
      {"RandomPerspective.probability", "[0, 1]", [](double v) { draw(RandomPerspective{.probability = v}); }},
      {"RandomPerspective.fill", "[0, 255]", [](double v) { draw(RandomPerspective{.probability = 1, .fill = v}); }},
      {"ElasticTransform.alpha", "(-inf, inf)", [](double v) { draw(ElasticTransform{.alpha = v, .sigma = 1}); }},
      {"ElasticTransform.sigma", "(0, inf)", [](double v) { draw(ElasticTransform{.sigma = v}); }},
      {"ElasticTransform.fill", "[0, 255]", [](double v) { draw(ElasticTransform{.sigma = 1, .fill = v}); }},
      {"RandAugment.operations", "[0, 1000]", [](int v) { draw(RandAugment{.operations = v}); }},
      {"RandAugment.magnitude", "[0, 30]", [](int v) { draw(RandAugment{.magnitude = v}); }},
      {"RandAugment.fill", "[0, 255]", [](double v) { draw(RandAugment{.operations = 8, .fill = v}); }},
      {"AutoAugment.fill", "[0, 255]", [](double v) { draw(AutoAugment{.fill = v}); }},
      {"TrivialAugmentWide.bins", "[2, inf)", [](int v) { draw(TrivialAugmentWide{.bins = v}); }},
      {"TrivialAugmentWide.fill", "[0, 255]", [](double v) { draw(TrivialAugmentWide{.fill = v}); }},
      {"AugMix.severity", "[1, 10]", [](int v) { draw(AugMix{.severity = v}); }},
      {"AugMix.width", "[1, 1000]", [](int v) { draw(AugMix{.width = v}); }},
      {"AugMix.depth", "[0, 1000]", [](int v) { draw(AugMix{.depth = v}); }},
      {"AugMix.alpha", "(0, inf)", [](double v) { draw(AugMix{.alpha = v}); }},
      {"AugMix.fill", "[0, 255]", [](double v) { draw(AugMix{.fill = v}); }},
  };
}

std::vector<OptionRow> batches() {
  return {
      {"mixup.alpha", "(0, inf)",
       [](double v) {
         RandomStream random(0);
         mixup(ones({2, 3}), ones({2, 2}), v, random);
       }},
      {"cutmix.alpha", "(0, inf)",
       [](double v) {
         RandomStream random(0);
         cutmix(ones({2, 3, 4, 4}), ones({2, 2}), v, random);
       }},
      {"one_hot_targets.classes", "[1, inf)", [](i64 v) { one_hot_targets(zeros({2}, {.dtype = int64}), v); }},
  };
}

TEST(Options, OfDataAreChecked) {
  std::vector<OptionRow> rows;
  for (const auto& part : {loaders(), crops_and_flips(), colours_and_warps(), batches()})
    rows.insert(rows.end(), part.begin(), part.end());
  test::try_options("data", rows);
}

}  // namespace
}  // namespace minima::data::options_test
