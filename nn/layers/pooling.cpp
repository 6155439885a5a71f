#include <minima/nn/layers/pooling.h>

#include <minima/ops/pooling/avg_pool.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

Tensor MaxPool2d::forward(const Tensor& x) { return max_pool2d(x, options); }
Tensor AvgPool2d::forward(const Tensor& x) { return avg_pool2d(x, options); }
Tensor AdaptiveAvgPool2d::forward(const Tensor& x) { return adaptive_avg_pool2d(x, size); }
Tensor AdaptiveMaxPool2d::forward(const Tensor& x) { return adaptive_max_pool2d(x, size); }
Tensor MaxPool1d::forward(const Tensor& x) { return max_pool1d(x, options); }
Tensor AvgPool1d::forward(const Tensor& x) { return avg_pool1d(x, options); }
Tensor AdaptiveAvgPool1d::forward(const Tensor& x) { return adaptive_avg_pool1d(x, size); }
Tensor AdaptiveMaxPool1d::forward(const Tensor& x) { return adaptive_max_pool1d(x, size); }

ValuesAndIndices MaxPool2d::with_indices(const Tensor& x) const { return max_pool2d_with_indices(x, options); }
ValuesAndIndices MaxPool1d::with_indices(const Tensor& x) const { return max_pool1d_with_indices(x, options); }
ValuesAndIndices AdaptiveMaxPool2d::with_indices(const Tensor& x) const {
  return adaptive_max_pool2d_with_indices(x, size);
}
ValuesAndIndices AdaptiveMaxPool1d::with_indices(const Tensor& x) const {
  return adaptive_max_pool1d_with_indices(x, size);
}

}  // namespace minima::nn
