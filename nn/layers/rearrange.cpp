#include <minima/nn/layers/rearrange.h>

#include <minima/ops/fold/fold.h>
#include <minima/ops/pixel_shuffle/pixel_shuffle.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

Tensor Unfold::forward(const Tensor& x) { return unfold(x, options); }
Tensor Fold::forward(const Tensor& x) { return fold(x, size, options); }
Tensor PixelShuffle::forward(const Tensor& x) { return pixel_shuffle(x, r); }
Tensor PixelUnshuffle::forward(const Tensor& x) { return pixel_unshuffle(x, r); }

}  // namespace minima::nn
