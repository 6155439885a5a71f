#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/lp_pool/lp_pool.h>
#include <minima/ops/max_unpool/max_unpool.h>
#include <minima/ops/pool3d/pool3d.h>

namespace minima::nn {

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
