#include <minima/nn/layers/pooling.h>

#include <minima/ops/pooling/avg_pool.h>
#include <minima/ops/pooling/lp_pool.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/ops/pooling/max_unpool.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

Tensor MaxPool3d::forward(const Tensor& x) { return max_pool3d(x, options); }
Tensor AvgPool3d::forward(const Tensor& x) { return avg_pool3d(x, options); }
Tensor AdaptiveAvgPool3d::forward(const Tensor& x) { return adaptive_avg_pool3d(x, size); }
Tensor AdaptiveMaxPool3d::forward(const Tensor& x) { return adaptive_max_pool3d(x, size); }
Tensor MaxUnpool1d::forward(const Tensor& x, const Tensor& indices) { return max_unpool1d(x, indices, options); }
Tensor MaxUnpool2d::forward(const Tensor& x, const Tensor& indices) { return max_unpool2d(x, indices, options); }
Tensor MaxUnpool3d::forward(const Tensor& x, const Tensor& indices) { return max_unpool3d(x, indices, options); }
Tensor LPPool1d::forward(const Tensor& x) { return lp_pool1d(x, p, options); }
Tensor LPPool2d::forward(const Tensor& x) { return lp_pool2d(x, p, options); }
Tensor LPPool3d::forward(const Tensor& x) { return lp_pool3d(x, p, options); }

ValuesAndIndices MaxPool3d::with_indices(const Tensor& x) const { return max_pool3d_with_indices(x, options); }
ValuesAndIndices AdaptiveMaxPool3d::with_indices(const Tensor& x) const {
  return adaptive_max_pool3d_with_indices(x, size);
}

}  // namespace minima::nn
