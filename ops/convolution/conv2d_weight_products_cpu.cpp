#include <minima/ops/convolution/engines.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/ops/loops/elements.h>
#include <minima/ops/product/gemm/engine.h>
#include <minima/ops/product/gemm/gemm_block.h>
#include <minima/ops/product/gemm/one_thread.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>

// The weights' gradient as products over patches: dW = dYᵀ·P, with patches P [positions, terms] and the results'
// gradient dY [positions, outputs]. A task is the product over some chunks of positions for one block of channels.

namespace minima::detail {

namespace {

/// Positions that one product sums over: whole images, or rows of one, or a part of a row. They are adjacent in memory.
struct Chunk {
  std::int64_t image, images;
  RowRange rows;
  std::int64_t column, columns;
};

/// Channels of each group that one product has as columns, times the kernel's elements.
struct Channels {
  std::int64_t first, count;
};

/// Divides the work by the sizes alone. Blocks of channels are preferred: unlike slices of the positions, they need no
/// partial sums.
class WeightSplit {
 public:
  WeightSplit(const ConvGeometry& g, bool images_are_contiguous, std::int64_t element_size) : g_(g) {
    constexpr std::int64_t terms = 512, tasks = 16, most_slices = 8, most_sums = std::int64_t{1} << 22;
    // Patches that are gathered stay in the L2 cache.
    const std::int64_t cache = (g.is_pointwise() ? 1024 : 384) * 1024;
    const std::int64_t elements = g.kernel_elements();
    blocks_ = divide_up(g.group_channels(), divide_up(terms, 16 * elements) * 16);
    channels_ = divide_up(g.group_channels(), blocks_);
    blocks_ = divide_up(g.group_channels(), channels_);

    const std::int64_t positions = std::max<std::int64_t>(cache / (channels_ * elements * element_size), 1);
    if (images_are_contiguous) images_ = evenly(g.batch, positions / g.positions());
    rows_ = evenly(g.out_rows(), positions / g.out.width);
    columns_ = evenly(g.out.width, positions);
    row_chunks_ = divide_up(g.out_rows(), rows_);
    column_chunks_ = divide_up(g.out.width, columns_);
    chunks_ = divide_up(g.batch, images_) * row_chunks_ * column_chunks_;

    const std::int64_t most = std::min({most_slices, most_sums / numel(g.weight()), chunks_});
    slice_chunks_ = divide_up(chunks_, std::clamp<std::int64_t>(tasks / blocks_, 1, std::max<std::int64_t>(most, 1)));
    slices_ = divide_up(chunks_, slice_chunks_);
  }

  std::int64_t slices() const { return slices_; }
  std::int64_t blocks() const { return blocks_; }
  Channels channels(std::int64_t block) const {
    return {block * channels_, std::min(channels_, g_.group_channels() - block * channels_)};
  }
  /// The most positions in a chunk, times the most columns in a block.
  std::int64_t patch_elements() const { return images_ * rows_ * columns_ * channels_ * g_.kernel_elements(); }
  std::int64_t first_chunk(std::int64_t slice) const { return slice * slice_chunks_; }
  std::int64_t last_chunk(std::int64_t slice) const { return std::min((slice + 1) * slice_chunks_, chunks_); }
  Chunk chunk(std::int64_t index) const {
    const std::int64_t line = index / column_chunks_, column = index % column_chunks_ * columns_;
    const std::int64_t image = line / row_chunks_ * images_, row = line % row_chunks_ * rows_;
    return {image,
            std::min(images_, g_.batch - image),
            {row, std::min(row + rows_, g_.out_rows())},
            column,
            std::min(columns_, g_.out.width - column)};
  }

 private:
  /// At most `most` of `count`, at least one, in parts of nearly the same size.
  static std::int64_t evenly(std::int64_t count, std::int64_t most) {
    return divide_up(count, divide_up(count, std::max<std::int64_t>(most, 1)));
  }

  const ConvGeometry& g_;
  std::int64_t blocks_, channels_, images_ = 1, rows_, columns_, row_chunks_, column_chunks_, chunks_, slice_chunks_,
                                   slices_;
};

template <class T>
class WeightProducts {
 public:
  WeightProducts(const ConvGeometry& g, ConvOrder order, Engine engine, const T* x, const T* y, T* weight_gradient)
      : g_(g),
        order_(order),
        engine_(engine),
        split_(g, order.x_last && order.y_last, sizeof(T)),
        x_(x),
        y_(y),
        weight_gradient_(weight_gradient),
        by_channel_(!order.x_last || gathers_by_channel()) {
    if (is_direct()) return;
    const PurposeGuard purpose(Purpose::temporaries);
    sums_ = empty({split_.slices(), numel(g.weight())}, {.dtype = dtype_of<T>});
  }

  void run() const {
    const std::int64_t tasks = split_.slices() * split_.blocks();
    const std::int64_t grain = product_grain(g_.flops() / static_cast<double>(tasks));
    parallel_for(0, tasks, grain, [&](std::int64_t first, std::int64_t last) {
      const PurposeGuard purpose(Purpose::temporaries);
      const Tensor buffer = empty({g_.is_pointwise() ? 0 : split_.patch_elements()}, {.dtype = dtype_of<T>});
      for (std::int64_t task = first; task < last; ++task)
        sum(task / split_.blocks(), split_.channels(task % split_.blocks()), buffer.data<T>());
    });
    if (!is_direct()) finish();
  }

 private:
  /// Whether patches of a channels_last image have the order of row-major weights. That takes longer to gather, but
  /// then the products need no reordering, which takes longer still where there are few positions.
  bool gathers_by_channel() const {
    return split_.slices() == 1 && !order_.weight_last && g_.batch * g_.positions() <= 2 * g_.outputs;
  }
  /// Whether the products are the result; otherwise they are summed and put in order at the end.
  bool is_direct() const {
    if (split_.slices() > 1) return false;
    if (g_.kernel_elements() == 1) return true;
    return order_.weight_last ? !by_channel_ && split_.blocks() == 1 : by_channel_;
  }

  /// A product with its right operand and its result.
  struct Columns {
    const T* data;
    std::int64_t ld;
    bool transposed;
  };
  struct Target {
    T* data;
    std::int64_t ld;
  };

  std::int64_t line(Channels channels) const { return channels.count * g_.kernel_elements(); }

  /// One slice's sums of a group and block: [outputs, channels, kernel], if not by channel [outputs, kernel, channels].
  Target target(std::int64_t slice, std::int64_t group, Channels channels) const {
    const std::int64_t first = group * g_.group_outputs() * g_.terms(), column = channels.first * g_.kernel_elements();
    if (is_direct()) return {weight_gradient_ + first + column, g_.terms()};
    T* const sums = sums_.data<T>() + slice * numel(g_.weight());
    return {sums + first + column * g_.group_outputs(), line(channels)};
  }

  Columns patches(const Chunk& chunk, std::int64_t group, Channels channels, T* buffer) const {
    const std::int64_t channel = group * g_.group_channels() + channels.first;
    const T* image = x_ + chunk.image * g_.channels * g_.pixels() + channel * (order_.x_last ? 1 : g_.pixels());
    if (g_.is_pointwise()) {
      const std::int64_t first = chunk.rows.first * g_.size.width + chunk.column;
      if (order_.x_last) return {image + first * g_.channels, g_.channels, false};
      return {image + first, g_.pixels(), true};
    }
    ConvGeometry part = g_;  // whose output begins at the chunk's first column
    part.out.width = chunk.columns;
    part.options.padding.width -= chunk.column * part.options.stride.width;
    const std::int64_t positions = (chunk.rows.last - chunk.rows.first) * chunk.columns;
    for (std::int64_t n = 0; n < chunk.images; ++n, image += g_.channels * g_.pixels()) {
      T* const to = buffer + n * positions * line(channels);
      if (by_channel_ && order_.x_last) gather_patches_by_channel(part, image, chunk.rows, channels.count, to);
      else gather_patches(part, order_.x_last, image, chunk.rows, channels.count, to);
    }
    if (order_.x_last) return {buffer, line(channels), false};
    return {buffer, positions, true};
  }

  void sum(std::int64_t slice, Channels channels, T* buffer) const {
    for (std::int64_t index = split_.first_chunk(slice); index < split_.last_chunk(slice); ++index) {
      const Chunk chunk = split_.chunk(index);
      const std::int64_t first = chunk.rows.first * g_.out.width + chunk.column;
      const std::int64_t positions = chunk.images * (chunk.rows.last - chunk.rows.first) * chunk.columns;
      for (std::int64_t group = 0; group < g_.options.groups; ++group) {
        const std::int64_t output = group * g_.group_outputs();
        const T* const y = y_ + chunk.image * g_.outputs * g_.positions() +
                           (order_.y_last ? first * g_.outputs + output : output * g_.positions() + first);
        const Columns columns = patches(chunk, group, channels, buffer);
        const Target to = target(slice, group, channels);
        gemm_block(engine_, GemmBlock<T>{g_.group_outputs(), line(channels), positions, y,
                                         order_.y_last ? g_.outputs : g_.positions(), order_.y_last, columns.data,
                                         columns.ld, columns.transposed, to.data, to.ld,
                                         index == split_.first_chunk(slice) ? Into::assign : Into::add});
      }
    }
  }

  /// Adds up the slices, output by output, and writes them in the weights' order.
  void finish() const {
    const double cost = static_cast<double>(g_.terms() * (split_.slices() + 1)) / 2;
    parallel_for(0, g_.outputs, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t output = first; output < last; ++output)
        for (std::int64_t block = 0; block < split_.blocks(); ++block) {
          const Channels channels = split_.channels(block);
          const auto sums = [&](std::int64_t slice) {
            const Target from = target(slice, output / g_.group_outputs(), channels);
            return from.data + output % g_.group_outputs() * from.ld;
          };
          T* const total = sums(0);
          for (std::int64_t slice = 1; slice < split_.slices(); ++slice) {
            const T* const part = sums(slice);
            for (std::int64_t i = 0; i < line(channels); ++i) total[i] += part[i];
          }
          put(total, channels, weight_gradient_ + output * g_.terms());
        }
    });
  }

  /// Writes a block's terms of one output to their places among `terms`.
  void put(const T* sums, Channels channels, T* terms) const {
    const std::int64_t elements = g_.kernel_elements(), count = channels.count;
    if (order_.weight_last) {
      for (std::int64_t k = 0; k < elements; ++k)
        pointwise::gather(terms + k * g_.group_channels() + channels.first, sums + (by_channel_ ? k : k * count),
                          by_channel_ ? elements : 1, count, sizeof(T));
    } else if (by_channel_) {
      std::copy_n(sums, line(channels), terms + channels.first * elements);
    } else {
      pointwise::gather_block(terms + channels.first * elements, sums, count, elements, 1, count, sizeof(T));
    }
  }

  const ConvGeometry& g_;
  ConvOrder order_;
  Engine engine_;
  WeightSplit split_;
  const T* x_;
  const T* y_;
  T* weight_gradient_;
  bool by_channel_;  ///< the order of patches' terms: [channels, kernel] or [kernel, channels]
  Tensor sums_;
};

}  // namespace

bool weight_gradient_suits_products(const ConvGeometry& g) {
  if (is_library_closed()) return false;
  // With AVX-512, for which this has not been measured, only where oneDNN would leave threads idle.
  constexpr std::int64_t few_slices = 3;
  if (has_avx512() && divide_up(g.batch, images_per_weight_slice(g)) > few_slices) return false;
  // Gathering patches takes longer than it saves with few outputs, and narrow products are slow.
  return g.group_channels() >= 64 || (g.group_channels() >= 16 && g.group_outputs() >= 32);
}

template <class T>
void conv_weight_gradient_products(const ConvGeometry& g, ConvOrder order, Engine engine, const T* x, const T* y,
                                   T* weight_gradient) {
  if (g.batch == 0) {
    std::fill_n(weight_gradient, numel(g.weight()), T(0));
    return;
  }
  WeightProducts<T>(g, order, engine, x, y, weight_gradient).run();
}

template void conv_weight_gradient_products(const ConvGeometry&, ConvOrder, Engine, const float*, const float*, float*);
template void conv_weight_gradient_products(const ConvGeometry&, ConvOrder, Engine, const double*, const double*,
                                            double*);

}  // namespace minima::detail
