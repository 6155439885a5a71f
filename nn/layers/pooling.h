#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/avg_pool2d/avg_pool2d.h>
#include <minima/ops/max_pool2d/max_pool2d.h>
#include <minima/ops/pool1d/pool1d.h>

namespace minima::nn {

/// The maximum of each window of x [N, C, H, W] or [C, H, W], torch.nn.MaxPool2d. Options and output size as in
/// `max_pool2d`.
///   nn::MaxPool2d({.kernel = 2})
class MINIMA_API MaxPool2d : public Module {
 public:
  explicit MaxPool2d(const MaxPool2dOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override;
  /// The maxima and their positions, PyTorch's return_indices. Does not run forward hooks.
  ValuesAndIndices with_indices(const Tensor& x) const;
  MaxPool2dOptions options;
};

/// The mean of each window of x [N, C, H, W] or [C, H, W], torch.nn.AvgPool2d. Options and output size as in
/// `avg_pool2d`.
class MINIMA_API AvgPool2d : public Module {
 public:
  explicit AvgPool2d(const AvgPool2dOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override;
  AvgPool2dOptions options;
};

/// The mean over windows that divide x [N, C, H, W] or [C, H, W] into `size` parts, torch.nn.AdaptiveAvgPool2d. With
/// size 1, global average pooling.
class MINIMA_API AdaptiveAvgPool2d : public Module {
 public:
  explicit AdaptiveAvgPool2d(Pair output_size) : size(output_size) {}
  Tensor forward(const Tensor& x) override;
  Pair size;
};

/// The maximum over windows that divide x [N, C, H, W] or [C, H, W] into `size` parts, torch.nn.AdaptiveMaxPool2d.
class MINIMA_API AdaptiveMaxPool2d : public Module {
 public:
  explicit AdaptiveMaxPool2d(Pair output_size) : size(output_size) {}
  Tensor forward(const Tensor& x) override;
  /// As MaxPool2d's.
  ValuesAndIndices with_indices(const Tensor& x) const;
  Pair size;
};

/// MaxPool2d for sequences x [N, C, L] or [C, L], torch.nn.MaxPool1d.
class MINIMA_API MaxPool1d : public Module {
 public:
  explicit MaxPool1d(const MaxPool1dOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override;
  /// As MaxPool2d's.
  ValuesAndIndices with_indices(const Tensor& x) const;
  MaxPool1dOptions options;
};

/// AvgPool2d for sequences, torch.nn.AvgPool1d.
class MINIMA_API AvgPool1d : public Module {
 public:
  explicit AvgPool1d(const AvgPool1dOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override;
  AvgPool1dOptions options;
};

/// AdaptiveAvgPool2d for sequences, torch.nn.AdaptiveAvgPool1d.
class MINIMA_API AdaptiveAvgPool1d : public Module {
 public:
  explicit AdaptiveAvgPool1d(std::int64_t output_size) : size(output_size) {}
  Tensor forward(const Tensor& x) override;
  std::int64_t size;
};

/// AdaptiveMaxPool2d for sequences, torch.nn.AdaptiveMaxPool1d.
class MINIMA_API AdaptiveMaxPool1d : public Module {
 public:
  explicit AdaptiveMaxPool1d(std::int64_t output_size) : size(output_size) {}
  Tensor forward(const Tensor& x) override;
  /// As MaxPool2d's.
  ValuesAndIndices with_indices(const Tensor& x) const;
  std::int64_t size;
};

}  // namespace minima::nn
