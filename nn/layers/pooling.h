#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/pooling/avg_pool.h>
#include <minima/ops/pooling/lp_pool.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/ops/pooling/max_unpool.h>

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

/// MaxPool2d for volumes x [N, C, D, H, W] or [C, D, H, W], torch.nn.MaxPool3d.
class MINIMA_API MaxPool3d : public Module {
 public:
  explicit MaxPool3d(const MaxPool3dOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override;
  /// As MaxPool2d's.
  ValuesAndIndices with_indices(const Tensor& x) const;
  MaxPool3dOptions options;
};

/// AvgPool2d for volumes, torch.nn.AvgPool3d.
class MINIMA_API AvgPool3d : public Module {
 public:
  explicit AvgPool3d(const AvgPool3dOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override;
  AvgPool3dOptions options;
};

/// AdaptiveAvgPool2d for volumes, torch.nn.AdaptiveAvgPool3d.
class MINIMA_API AdaptiveAvgPool3d : public Module {
 public:
  explicit AdaptiveAvgPool3d(Triple output_size) : size(output_size) {}
  Tensor forward(const Tensor& x) override;
  Triple size;
};

/// AdaptiveMaxPool2d for volumes, torch.nn.AdaptiveMaxPool3d.
class MINIMA_API AdaptiveMaxPool3d : public Module {
 public:
  explicit AdaptiveMaxPool3d(Triple output_size) : size(output_size) {}
  Tensor forward(const Tensor& x) override;
  /// As MaxPool2d's.
  ValuesAndIndices with_indices(const Tensor& x) const;
  Triple size;
};

/// Puts maxima back to where max_pool1d_with_indices found them, torch.nn.MaxUnpool1d: `unpool(values, indices)`.
class MINIMA_API MaxUnpool1d : public ModuleOf<MaxUnpool1d> {
 public:
  explicit MaxUnpool1d(const MaxUnpool1dOptions& given) : options(given) {}
  Tensor forward(const Tensor& x, const Tensor& indices);
  MaxUnpool1dOptions options;
};

/// The same after max_pool2d_with_indices, torch.nn.MaxUnpool2d.
class MINIMA_API MaxUnpool2d : public ModuleOf<MaxUnpool2d> {
 public:
  explicit MaxUnpool2d(const MaxUnpool2dOptions& given) : options(given) {}
  Tensor forward(const Tensor& x, const Tensor& indices);
  MaxUnpool2dOptions options;
};

/// The same after max_pool3d_with_indices, torch.nn.MaxUnpool3d.
class MINIMA_API MaxUnpool3d : public ModuleOf<MaxUnpool3d> {
 public:
  explicit MaxUnpool3d(const MaxUnpool3dOptions& given) : options(given) {}
  Tensor forward(const Tensor& x, const Tensor& indices);
  MaxUnpool3dOptions options;
};

/// The p-norm of each window of x [N, C, L] or [C, L], torch.nn.LPPool1d: `nn::LPPool1d(2, {.kernel = 3})`.
class MINIMA_API LPPool1d : public Module {
 public:
  LPPool1d(double norm, const LpPool1dOptions& given) : p(norm), options(given) {}
  Tensor forward(const Tensor& x) override;
  double p;
  LpPool1dOptions options;
};

/// LPPool1d for images, torch.nn.LPPool2d.
class MINIMA_API LPPool2d : public Module {
 public:
  LPPool2d(double norm, const LpPool2dOptions& given) : p(norm), options(given) {}
  Tensor forward(const Tensor& x) override;
  double p;
  LpPool2dOptions options;
};

/// LPPool1d for volumes, torch.nn.LPPool3d.
class MINIMA_API LPPool3d : public Module {
 public:
  LPPool3d(double norm, const LpPool3dOptions& given) : p(norm), options(given) {}
  Tensor forward(const Tensor& x) override;
  double p;
  LpPool3dOptions options;
};

}  // namespace minima::nn
