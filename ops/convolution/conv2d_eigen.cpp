#include <minima/ops/convolution/engines.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/ops/product/gemm/gemm_block.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>

// Convolution as matrix products. For one image and group, with patches P [positions, terms], weights W [outputs,
// terms] and results Y [positions, outputs]: Y = P·Wᵀ, dP = dY·W and dW = dYᵀ·P. Row-major images hold the transposes
// of Y and P; a product reads and writes either.

namespace minima::detail {

namespace {

constexpr double flops_per_nanosecond = 40;

/// A matrix as stored, possibly transposed.
template <class T>
struct Matrix {
  T* data;
  std::int64_t ld;
  bool transposed;
  Matrix flipped() const { return {data, ld, !transposed}; }
};

/// C [m, n] = A·B, or += .
template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a, Matrix<const T> b, Matrix<T> c,
              bool accumulate) {
  if (c.transposed) return multiply(n, m, k, b.flipped(), a.flipped(), c.flipped(), accumulate);
  if (k > 0)
    return gemm_eigen(GemmBlock<T>{m, n, k, a.data, a.ld, a.transposed, b.data, b.ld, b.transposed, c.data, c.ld,
                                   accumulate ? Into::add : Into::assign});
  for (std::int64_t i = 0; i < m && !accumulate; ++i) std::fill_n(c.data + i * c.ld, n, T(0));
}

template <class T>
class Products {
 public:
  Products(const ConvGeometry& geometry, ConvOrder order)
      : g_(geometry), order_(order), chunks_((g_.out_rows() + chunk_rows() - 1) / chunk_rows()) {}

  std::int64_t chunks() const { return chunks_; }
  RowRange rows(std::int64_t chunk) const {
    return {chunk * chunk_rows(), std::min((chunk + 1) * chunk_rows(), g_.out_rows())};
  }
  std::int64_t positions(RowRange rows) const { return (rows.last - rows.first) * g_.out.width; }

  template <class U>
  U* image(U* x, std::int64_t n, std::int64_t group) const {
    return x + n * g_.channels * g_.pixels() + group * g_.group_channels() * (order_.x_last ? 1 : g_.pixels());
  }
  /// The results of one image and group for some rows: [positions, outputs].
  template <class U>
  Matrix<U> results(U* y, std::int64_t n, std::int64_t group, RowRange rows) const {
    const std::int64_t first = rows.first * g_.out.width, channel = group * g_.group_outputs();
    U* image = y + n * g_.outputs * g_.positions();
    if (order_.y_last) return {image + first * g_.outputs + channel, g_.outputs, false};
    return {image + channel * g_.positions() + first, g_.positions(), true};
  }
  /// The patches, where they can be read directly from the image.
  template <class U>
  Matrix<U> patches_in_place(U* image, RowRange rows) const {
    const std::int64_t first = rows.first * g_.size.width;
    if (order_.x_last) return {image + first * g_.channels, g_.channels, false};
    return {image + first, g_.pixels(), true};
  }
  template <class U>
  Matrix<U> patches(U* buffer, RowRange rows) const {
    if (order_.x_last) return {buffer, g_.terms(), false};
    return {buffer, positions(rows), true};
  }
  template <class U>
  Matrix<U> weights(U* weight, std::int64_t group) const {
    return {weight + group * g_.group_outputs() * g_.terms(), std::max<std::int64_t>(g_.terms(), 1), false};
  }

  /// Scratch memory for the patches of a chunk.
  Tensor buffer() const {
    const PurposeGuard purpose(Purpose::temporaries);
    const std::int64_t lines = g_.is_pointwise() ? 0 : std::min(chunk_rows(), g_.out_rows()) * g_.out.width;
    return empty({lines, g_.terms()}, {.dtype = dtype_of<T>});
  }
  Matrix<const T> gathered(const T* x, std::int64_t n, std::int64_t group, RowRange rows, const Tensor& buffer) const {
    const T* from = image(x, n, group);
    if (g_.is_pointwise()) return patches_in_place(from, rows);
    gather_patches(g_, order_.x_last, from, rows, g_.group_channels(), buffer.data<T>());
    return patches<const T>(buffer.data<T>(), rows);
  }

 private:
  /// Sized so that a chunk's patches fit into the L2 cache.
  std::int64_t chunk_rows() const {
    constexpr std::int64_t cache = 256 * 1024;
    const std::int64_t row =
        std::max<std::int64_t>(g_.out.width * g_.terms() * static_cast<std::int64_t>(sizeof(T)), 1);
    return std::clamp<std::int64_t>(cache / row, 1, g_.out_rows());
  }

  const ConvGeometry& g_;
  ConvOrder order_;
  std::int64_t chunks_;
};

/// Adds the bias of one group to results stored either way.
template <class T>
void add_channel_bias(const Matrix<T>& y, std::int64_t positions, std::int64_t outputs, const T* bias) {
  if (!y.transposed) return add_bias(Block<T>{y.data, positions, outputs, y.ld}, bias);
  for (std::int64_t c = 0; c < outputs; ++c)
    for (std::int64_t i = 0; i < positions; ++i) y.data[c * y.ld + i] += bias[c];
}

}  // namespace

template <class T>
void conv_forward_eigen(const ConvGeometry& g, ConvOrder order, const T* x, const T* weight, const T* bias, T* y) {
  const Products<T> products(g, order);
  const std::int64_t groups = g.options.groups, tasks = g.batch * groups * products.chunks();
  const double cost = g.flops() / static_cast<double>(std::max<std::int64_t>(tasks, 1)) / flops_per_nanosecond;
  parallel_for(0, tasks, grain_for(std::max(cost, 100.0)), [&](std::int64_t first, std::int64_t last) {
    const Tensor buffer = products.buffer();
    for (std::int64_t task = first; task < last; ++task) {
      const std::int64_t n = task / products.chunks() / groups, group = task / products.chunks() % groups;
      const RowRange rows = products.rows(task % products.chunks());
      const Matrix<T> target = products.results(y, n, group, rows);
      multiply(products.positions(rows), g.group_outputs(), g.terms(), products.gathered(x, n, group, rows, buffer),
               products.weights(weight, group).flipped(), target, false);
      if (bias) add_channel_bias(target, products.positions(rows), g.group_outputs(), bias + group * g.group_outputs());
    }
  });
}

template <class T>
void conv_input_gradient_eigen(const ConvGeometry& g, ConvOrder order, const T* y, const T* weight, T* x_gradient) {
  const Products<T> products(g, order);
  const double cost = g.flops() / static_cast<double>(std::max<std::int64_t>(g.batch, 1)) / flops_per_nanosecond;
  const std::int64_t pixels = g.channels * g.pixels();
  parallel_for(0, g.batch, grain_for(std::max(cost, 100.0)), [&](std::int64_t first, std::int64_t last) {
    const Tensor buffer = products.buffer();
    if (!g.is_pointwise()) std::fill_n(x_gradient + first * pixels, (last - first) * pixels, T(0));
    for (std::int64_t n = first; n < last; ++n)
      for (std::int64_t group = 0; group < g.options.groups; ++group)
        for (std::int64_t chunk = 0; chunk < products.chunks(); ++chunk) {
          const RowRange rows = products.rows(chunk);
          T* image = products.image(x_gradient, n, group);
          const Matrix<T> patches = g.is_pointwise() ? products.patches_in_place(image, rows)
                                                     : products.patches(buffer.template data<T>(), rows);
          multiply(products.positions(rows), g.terms(), g.group_outputs(), products.results(y, n, group, rows),
                   products.weights(weight, group), patches, false);
          if (!g.is_pointwise()) scatter_patches<T>(g, order.x_last, image, rows, patches.data);
        }
  });
}

#define MINIMA_INSTANTIATE(T)                                                                         \
  template void conv_forward_eigen(const ConvGeometry&, ConvOrder, const T*, const T*, const T*, T*); \
  template void conv_input_gradient_eigen(const ConvGeometry&, ConvOrder, const T*, const T*, T*);
MINIMA_INSTANTIATE(float)
MINIMA_INSTANTIATE(double)
#undef MINIMA_INSTANTIATE

}  // namespace minima::detail
