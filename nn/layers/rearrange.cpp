#include <minima/nn/layers/rearrange.h>

#include <minima/ops/convolution/fold.h>
#include <minima/ops/image/interpolate.h>
#include <minima/ops/image/pixel_shuffle.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

Tensor Unfold::forward(const Tensor& x) { return unfold(x, options); }
Tensor Fold::forward(const Tensor& x) { return fold(x, size, options); }
Tensor PixelShuffle::forward(const Tensor& x) { return pixel_shuffle(x, r); }
Tensor PixelUnshuffle::forward(const Tensor& x) { return pixel_unshuffle(x, r); }
Tensor ChannelShuffle::forward(const Tensor& x) { return channel_shuffle(x, groups); }
Tensor Upsample::forward(const Tensor& x) { return interpolate(x, options); }

}  // namespace minima::nn
