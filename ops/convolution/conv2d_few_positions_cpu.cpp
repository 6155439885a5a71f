#include <minima/ops/convolution/conv_ending.h>
#include <minima/ops/convolution/engines.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/ops/product/gemm/engine.h>
#include <minima/ops/product/gemm/gemm_block.h>
#include <minima/ops/product/gemm/one_thread.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>

// Convolutions with fewer positions than outputs, as products with row-major weights where they are: oneDNN's
// convolution reorders weights for every call, which takes longer than ordering the patches by channel. Y = P·Wᵀ and
// dP = dY·W, with patches P [positions of the whole batch, terms].

namespace minima::detail {

namespace {

/// Calls f(first, count) for blocks of at most `most` of `count`, in parallel.
template <class F>
void each_block(const ConvGeometry& g, std::int64_t count, std::int64_t most, F&& f) {
  const std::int64_t blocks = divide_up(count, most);
  const std::int64_t grain = product_grain(g.flops() / static_cast<double>(blocks));
  parallel_for(0, blocks, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block) f(block * most, std::min(most, count - block * most));
  });
}

Tensor temporary(std::int64_t count) {
  const PurposeGuard purpose(Purpose::temporaries);
  return empty({count});
}

}  // namespace

bool few_positions_suit_products(ConvKind kind, const ConvGeometry& g, ConvOrder order) {
  constexpr std::int64_t least_outputs = 512;
  const bool is_plain = order.x_last && order.y_last && !order.weight_last && g.options.groups == 1;
  return is_plain && g.outputs >= least_outputs && g.batch * g.positions() <= g.outputs &&
         (kind == ConvKind::forward || g.kernel_elements() > 1) && !is_library_closed();
}

void conv_forward_few_positions(const ConvGeometry& g, const float* x, const float* weight, const float* bias,
                                const ConvEnding* ending, float* y) {
  constexpr std::int64_t block = 64;
  const std::int64_t positions = g.batch * g.positions(), terms = g.terms();
  const Tensor patches = temporary(g.is_pointwise() ? 0 : positions * terms);
  const float* lines = x;
  if (!g.is_pointwise()) {
    const double cost = static_cast<double>(g.out.width * terms);
    parallel_for(0, g.batch * g.out_rows(), grain_for(cost), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t line = first; line < last; ++line) {
        const std::int64_t row = line % g.out_rows();
        gather_patches_by_channel(g, x + line / g.out_rows() * g.channels * g.pixels(), {row, row + 1}, g.channels,
                                  patches.data<float>() + line * g.out.width * terms);
      }
    });
    lines = patches.data<float>();
  }
  each_block(g, g.outputs, block, [&](std::int64_t first, std::int64_t count) {
    gemm_block(Engine::onednn, GemmBlock<float>{positions, count, terms, lines, terms, false, weight + first * terms,
                                                terms, true, y + first, g.outputs, Into::assign});
    if (bias) add_bias(Block<float>{y + first, positions, count, g.outputs}, bias + first);
    if (ending) finish(*ending, {0, first, positions, count, g.outputs}, y);
  });
}

void conv_input_gradient_few_positions(const ConvGeometry& g, const float* y, const float* weight, float* x_gradient) {
  const std::int64_t positions = g.batch * g.positions(), terms = g.terms(), elements = g.kernel_elements();
  const std::int64_t block = divide_up(512, 16 * elements) * 16;  // channels, for products of about 512 columns
  each_block(g, g.channels, block, [&](std::int64_t first, std::int64_t count) {
    const std::int64_t line = count * elements;
    const Tensor patches = temporary(positions * line);
    gemm_block(Engine::onednn,
               GemmBlock<float>{positions, line, g.outputs, y, g.outputs, false, weight + first * elements, terms,
                                false, patches.data<float>(), line, Into::assign});
    for (std::int64_t n = 0; n < g.batch; ++n) {
      float* const image = x_gradient + n * g.channels * g.pixels() + first;
      for (std::int64_t pixel = 0; pixel < g.pixels(); ++pixel) std::fill_n(image + pixel * g.channels, count, 0.0f);
      scatter_patches_by_channel(g, image, {0, g.out_rows()}, count, patches.data<float>() + n * g.positions() * line);
    }
  });
}

}  // namespace minima::detail
