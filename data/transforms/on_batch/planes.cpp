#include <minima/data/transforms/on_batch/planes.h>

#include <minima/autograd/mode.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/on_batch/on_batch.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/pinned.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace minima::data::detail {

namespace {

void expect_streams(const char* what, const Tensor& x, Streams random) {
  if (x.size(0) != static_cast<std::int64_t>(random.size()))
    throw ShapeError(str(what, ": ", random.size(), " random streams for images ", x));
}

Tensor index_of(const Tensor& x, std::span<const std::int64_t> places) {
  const Tensor host = empty_pinned(Layout::contiguous({static_cast<std::int64_t>(places.size())}), DType::int64);
  std::copy(places.begin(), places.end(), host.data<std::int64_t>());
  return host.to(x.device());
}

}  // namespace

void expect_images(const char* what, const Tensor& x, Streams random) {
  if (!x.defined() || x.rank() != 4 || x.numel() == 0)
    throw ShapeError(str(what, ": expected images [B, H, W, C], got ", x));
  if (x.dtype() != DType::uint8 && x.dtype() != DType::float32)
    throw DTypeError(str(what, ": images are uint8 or float32, got ", x));
  expect_streams(what, x, random);
}

void expect_plane_images(const char* what, const Tensor& x, Streams random) {
  if (!x.defined() || x.dtype() != DType::float32 || x.rank() != 4)
    throw ValueError(str(what, ": expected a float32 tensor [B, C, H, W], got ", x, "; put ToTensor before it"));
  expect_streams(what, x, random);
}

Tensor planes_of(const Tensor& images) { return permute(images.to(DType::float32), {0, 3, 1, 2}); }

Tensor images_of(const Tensor& planes, DType dtype) {
  const Tensor images = permute(planes, {0, 2, 3, 1});
  return contiguous(dtype == DType::uint8 ? clamp(floor(images + 0.5), 0, 255).to(dtype) : images);
}

Tensor per_image(const Tensor& x, const std::vector<double>& numbers, const Shape& shape) {
  Tensor host = empty_pinned(Layout::contiguous({static_cast<std::int64_t>(numbers.size())}));
  std::transform(numbers.begin(), numbers.end(), host.data<float>(), [](double v) { return static_cast<float>(v); });
  return reshape(host.to(x.device()), shape);
}

Tensor places(const Tensor& x, std::int64_t size, const Shape& shape) {
  return reshape(arange(size, {.dtype = DType::float32, .device = x.device()}), shape);
}

Tensor separable(const Tensor& images, const Tensor& rows, const Tensor& columns) {
  const std::int64_t count = images.size(0), width = images.size(2), channels = images.size(3), down = rows.size(1);
  const Tensor lines = reshape(images.to(DType::float32), {count, images.size(1), width * channels});
  const Tensor filtered = reshape(matmul(rows, lines), {count, down, width, channels});
  const Tensor across = reshape(permute(filtered, {0, 3, 1, 2}), {count, channels * down, width});
  return reshape(matmul(across, transpose(columns, 1, 2)), {count, channels, down, columns.size(1)});
}

Tensor take_images(const Tensor& x, std::span<const std::int64_t> places) {
  const NoGrad off_record;
  return index_select(x, 0, index_of(x, places));
}

Tensor put_images(const Tensor& x, std::span<const std::int64_t> places, const Tensor& images) {
  const NoGrad off_record;
  Shape expected = x.shape();
  expected[0] = static_cast<std::int64_t>(places.size());
  if (images.shape() != expected || images.dtype() != x.dtype())
    throw ShapeError(
        str("on_batch: a transform that applies to some images must keep their size, got ", images, " from ", x));
  return index_copy(x, 0, index_of(x, places), images);
}

std::vector<RandomStream> streams_of(const Tensor& images, RandomStream& random) {
  if (!images.defined() || images.rank() < 1) throw ShapeError(str("on_batch: expected a batch, got ", images));
  std::vector<RandomStream> streams;
  streams.reserve(static_cast<std::size_t>(images.size(0)));
  for (std::int64_t i = 0; i < images.size(0); ++i) streams.emplace_back(random.wide());
  return streams;
}

}  // namespace minima::data::detail
