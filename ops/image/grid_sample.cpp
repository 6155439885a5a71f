#include <minima/ops/image/grid_sample.h>

#include <minima/autograd/backward.h>
#include <minima/ops/convolution/images.h>
#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/image/kernels.h>
#include <minima/ops/index/embedding.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

// On the CPU a kernel gathers, and another one computes each gradient. On CUDA, and where gradients are differentiated
// again, it is made of other operators: coordinates become weights and row numbers, and x is read as rows of channels
// by `embedding`, whose gradient sums in a fixed order.

namespace minima {

namespace {

/// One neighbour along one dimension: the element's number, inside of x, and its weight.
struct Neighbour {
  Tensor place;    ///< int64
  Tensor weight;   ///< undefined for 1
  Tensor present;  ///< false for an element outside of x that counts as 0; undefined for none
};

/// x where the element is present, else 0.
Tensor kept(const Tensor& present, const Tensor& x) { return present.defined() ? where(present, x, 0) : x; }

/// Coordinates along a dimension of `size` elements.
class GridAxis {
 public:
  GridAxis(std::int64_t size, const GridSampleOptions& options) : size_(size), options_(options) {}

  std::vector<Neighbour> neighbours(const Tensor& grid) const {
    const auto n = static_cast<double>(size_);
    Tensor at = options_.align_corners ? (grid + 1) * ((n - 1) / 2) : ((grid + 1) * n - 1) / 2;
    if (options_.mode == GridSampleMode::bicubic) return cubic(at);
    at = padded(at);
    if (options_.mode == GridSampleMode::nearest) return {neighbour(round(at.detach()), {})};
    const Tensor low = floor(at.detach()), rest = at - low;
    return {neighbour(low, 1 - rest), neighbour(low + 1, rest)};
  }

 private:
  std::vector<Neighbour> cubic(const Tensor& at) const {
    constexpr double a = -0.75;
    const auto near = [](const Tensor& d) { return (((a + 2) * d - (a + 3)) * d) * d + 1; };
    const auto far = [](const Tensor& d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    const Tensor low = floor(at.detach()), t = at - low;
    return {neighbour(padded(low - 1), far(t + 1)), neighbour(padded(low), near(t)),
            neighbour(padded(low + 1), near(1 - t)), neighbour(padded(low + 2), far(2 - t))};
  }

  /// Into x's range, except for zeros.
  Tensor padded(const Tensor& at) const {
    if (options_.padding == GridPadding::zeros) return at;
    const auto last = static_cast<double>(size_ - 1);
    if (options_.padding == GridPadding::border) return clamped(at, last);
    const double edge = options_.align_corners ? 0 : -0.5, span = last - 2 * edge;
    if (span == 0) return at * 0;
    const Tensor distance = abs(at - edge), turns = floor(distance.detach() / span);
    const Tensor rest = distance - turns * span;
    return clamped(where(remainder(turns, 2) == 1, span - rest, rest) + edge, last);
  }
  /// The first and the last element count as outside for the derivative.
  static Tensor clamped(const Tensor& at, double last) {
    return where(logical_and(at > 0, at < last), at, clamp(at.detach(), 0, last));
  }

  /// `at` holds whole numbers. NaN counts as outside.
  Neighbour neighbour(const Tensor& at, const Tensor& weight) const {
    const auto last = static_cast<double>(size_ - 1);
    const Tensor inside = logical_and(at >= 0, at <= last);
    const Tensor place = where(inside, at, 0).to(DType::int64);
    if (options_.padding != GridPadding::zeros) return {place, weight, {}};
    return {place, weight.defined() ? kept(inside, weight) : weight, inside};
  }

  std::int64_t size_;
  GridSampleOptions options_;
};

void check(const Tensor& x, const Tensor& grid, const GridSampleOptions& options) {
  constexpr const char* op = "grid_sample";
  const int spatial = x.rank() - 2;
  if (!is_floating(x.dtype()) || x.dtype() != grid.dtype())
    throw DTypeError(str(op, ": needs one floating dtype, got x ", x, " and grid ", grid, "; convert one with to()"));
  if (spatial != 2 && spatial != 3) throw ShapeError(str(op, ": x must be [N, C, H, W] or [N, C, D, H, W], got ", x));
  if (grid.rank() != x.rank() || grid.size(-1) != spatial || grid.size(0) != x.size(0))
    throw ShapeError(str(op, ": grid must be [N, ", spatial == 2 ? "H', W', 2]" : "D', H', W', 3]", " with the N of x ",
                         x, ", got ", grid));
  if (options.mode == GridSampleMode::bicubic && spatial == 3)
    throw ValueError(str(op, ": bicubic takes images [N, C, H, W], got ", x));
  for (int d = 2; d < x.rank(); ++d)
    if (x.size(d) < 1) throw ShapeError(str(op, ": x ", x, " has no elements to sample"));
}

/// One reader of x: a row of channels, the product of the weights along the dimensions so far, and whether the row is
/// present along all of them.
struct Corner {
  Tensor row, weight, present;
};

Tensor sampled(const Tensor& x, const Tensor& grid, const GridSampleOptions& options) {
  const int spatial = x.rank() - 2;
  const std::int64_t batch = x.size(0), channels = x.size(1);
  std::int64_t elements = 1;
  Shape last_order{0};
  for (int d = 2; d < x.rank(); ++d) {
    elements *= x.size(d);
    last_order.push_back(d);
  }
  last_order.push_back(1);
  const Tensor rows = reshape(permute(x, last_order), {batch * elements, channels});
  const Tensor places = detail::in_full(grid);

  Shape per_image = Shape::filled(spatial + 1, 1);
  per_image[0] = batch;
  const Tensor first =
      reshape(arange(0, batch, 1, {.dtype = DType::int64, .device = x.device()}) * elements, per_image);
  std::vector<Corner> corners{{first, {}, {}}};
  std::int64_t step = 1;
  for (int d = 0; d < spatial; ++d) {  // the grid names the width first
    const std::int64_t size = x.size(x.rank() - 1 - d);
    const std::vector<Neighbour> neighbours = GridAxis(size, options).neighbours(select(places, -1, d));
    std::vector<Corner> next;
    for (const Corner& corner : corners)
      for (const Neighbour& n : neighbours)
        next.push_back({corner.row + n.place * step,
                        !corner.weight.defined() ? n.weight
                        : !n.weight.defined()    ? corner.weight
                                                 : corner.weight * n.weight,
                        !corner.present.defined() ? n.present : logical_and(corner.present, n.present)});
    corners = std::move(next);
    step *= size;
  }
  Tensor y;
  for (const Corner& corner : corners) {
    // 0 times an element that stands in for one outside of x may be NaN.
    Tensor part = embedding(rows, corner.row);
    if (corner.present.defined()) part = kept(unsqueeze(corner.present, -1), part);
    if (corner.weight.defined()) part = part * unsqueeze(corner.weight, -1);
    y = y.defined() ? y + part : part;
  }
  y = cast(y, x.dtype());
  Shape first_order{0, y.rank() - 1};
  for (int d = 1; d < y.rank() - 1; ++d) first_order.push_back(d);
  y = permute(y, first_order);
  return detail::wants_channels_last(x.layout()) ? y : contiguous(y);
}

/// Whether offsets within a channel fit into 32 bits.
bool has_short_offsets(const Tensor& x) {
  std::int64_t reach = 0;
  for (int d = 2; d < x.rank(); ++d) reach += (x.size(d) - 1) * x.layout().strides[d];
  return reach <= std::numeric_limits<std::int32_t>::max();
}

/// On the CPU, in float32 or float64.
struct GridSample {
  static constexpr Traits traits{.name = "grid_sample"};
  GridSampleOptions options;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.word("mode", options.mode == GridSampleMode::nearest    ? "nearest"
                         : options.mode == GridSampleMode::bilinear ? "linear"
                                                                    : "cubic");
    visitor.word("padding", options.padding == GridPadding::zeros    ? "zeros"
                            : options.padding == GridPadding::border ? "border"
                                                                     : "reflection");
    visitor.integer("align_corners", options.align_corners);
  }
  TensorSpec result(const Tensor& x, const Tensor& grid) const {
    Shape shape{x.size(0), x.size(1)};
    for (int d = 1; d < grid.rank() - 1; ++d) shape.push_back(grid.size(d));
    const bool channels_last = detail::wants_channels_last(x.layout());
    return {channels_last ? Layout::channels_last(shape) : Layout::contiguous(shape), x.dtype(), x.device()};
  }
  Cost cost(const Tensor& x, const Tensor& grid) const {
    const auto places = static_cast<double>(grid.numel()) / static_cast<double>(grid.size(-1));
    const double corners = options.mode == GridSampleMode::nearest   ? 1
                           : options.mode == GridSampleMode::bicubic ? 16
                                                                     : 4;
    const double results = places * static_cast<double>(x.size(1));
    const auto elements = static_cast<double>(x.numel() + grid.numel());
    return {.flops = 2 * corners * results, .bytes = (elements + results) * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, const Tensor& grid, Tensor& y) const {
    detail::grid_sample_cpu(x, contiguous(grid), options, y);
  }
  Gradients<2> gradient(Grad g, Input<0> x, Input<1> grid, Needs needs) const {
    std::vector<Tensor> wanted;
    if (needs[0]) wanted.push_back(x);
    if (needs[1]) wanted.push_back(grid);
    const Tensor y = sampled(x, grid, options);
    if (!y.requires_grad()) return {};  // nearest elements do not change with the grid
    const std::vector<Tensor> found = grad({y}, wanted, {g}, {.create_graph = true, .allow_unused = true});
    return {needs[0] ? found.front() : Tensor(), needs[1] ? found.back() : Tensor()};
  }
  Gradients<2> fast_gradient(Grad g, Input<0> x, Input<1> grid, Needs needs) const {
    const Tensor places = contiguous(grid);
    Gradients<2> gradients;
    if (needs[0]) {
      gradients[0] = zeros(x.shape(), {.dtype = x.dtype()});
      detail::grid_sample_gradient_cpu(places, contiguous(g), options, gradients[0]);
    }
    if (needs[1]) {
      gradients[1] = empty(grid.shape(), {.dtype = grid.dtype()});
      detail::grid_sample_grid_gradient_cpu(x, places, contiguous(g), options, gradients[1]);
    }
    return gradients;
  }
};

}  // namespace

Tensor grid_sample(const Tensor& x, const Tensor& grid, const GridSampleOptions& options) {
  detail::check_defined("grid_sample", x);
  detail::check_defined("grid_sample", grid, 1);
  Tensor both[] = {x, grid};
  if (detail::mode().autocast) detail::autocast_inputs(Cast::widest, both, 2);
  const detail::WithoutAutocast guard;
  check(both[0], both[1], options);
  if (detail::on_cuda(both[0]) || !has_short_offsets(both[0])) return sampled(both[0], both[1], options);
  if (!is_half(both[0].dtype())) return apply(GridSample{options}, both[0], both[1]);
  return cast(apply(GridSample{options}, cast(both[0], DType::float32), cast(both[1], DType::float32)),
              both[0].dtype());
}

namespace {

/// The centres of `count` elements that fill -1 … 1.
Tensor centres(std::int64_t count, bool align_corners, const Tensor& like) {
  if (align_corners && count == 1) return zeros({1}, {.dtype = like.dtype(), .device = like.device()});
  const double first = align_corners ? -1.0 : 1.0 / static_cast<double>(count) - 1.0;
  return linspace(first, -first, count, {.dtype = like.dtype(), .device = like.device()});
}

}  // namespace

Tensor affine_grid(const Tensor& theta, const Shape& size, bool align_corners) {
  constexpr const char* op = "affine_grid";
  detail::check_defined(op, theta);
  if (!is_floating(theta.dtype()))
    throw DTypeError(str(op, ": theta must be floating, got ", theta, "; convert it with to()"));
  const int spatial = size.rank() - 2;
  if (spatial != 2 && spatial != 3)
    throw ShapeError(str(op, ": size must be {N, C, H, W} or {N, C, D, H, W}, got ", size));
  for (int d = 2; d < size.rank(); ++d)
    if (size[d] < 1) throw ValueError(str(op, ": sizes must be at least 1, got ", size));
  if (theta.shape() != Shape{size[0], spatial, spatial + 1})
    throw ShapeError(
        str(op, ": theta must be ", Shape{size[0], spatial, spatial + 1}, " for size ", size, ", got ", theta));
  Shape places;
  for (int d = 2; d < size.rank(); ++d) places.push_back(size[d]);
  Shape all = places;
  all.push_back(spatial + 1);
  const std::int64_t count = detail::checked_numel(all, op) / (spatial + 1);
  const detail::WithoutAutocast guard;
  const Tensor maps = detail::in_full(theta);
  std::vector<Tensor> coordinates;  // width first, and 1
  for (int d = spatial - 1; d >= 0; --d) {
    Shape along = Shape::filled(spatial, 1);
    along[d] = places[d];
    coordinates.push_back(expand(reshape(centres(places[d], align_corners, maps), along), places));
  }
  coordinates.push_back(expand(ones({1}, {.dtype = maps.dtype(), .device = maps.device()}), places));
  const Tensor grid = matmul(reshape(stack(coordinates, -1), {1, count, spatial + 1}), transpose(maps, 1, 2));
  Shape shape{size[0]};
  for (const std::int64_t n : places) shape.push_back(n);
  shape.push_back(spatial);
  return cast(reshape(grid, shape), theta.dtype());
}

}  // namespace minima
