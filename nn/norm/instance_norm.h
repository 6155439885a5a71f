#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/norm/instance_norm.h>

namespace minima::nn {

struct InstanceNormOptions {
  std::int64_t features = 0;  ///< channels C
  double eps = 1e-5;          ///< at least 0
  double momentum = 0.1;      ///< weight of the new batch in the running statistics, from 0 to 1
  bool affine = false;        ///< learn weight and bias per channel
  bool bias = true;           ///< if affine; false: learn the weight only
  bool track_running_stats = false;
};

/// Common base of InstanceNorm1d, InstanceNorm2d and InstanceNorm3d: normalises each channel of each sample,
/// `instance_norm`. Evaluation mode uses the running statistics if there are any. Weight is initialised to 1, bias to
/// 0.
class MINIMA_API InstanceNorm : public Module {
 public:
  /// Throws ShapeError if the rank or the number of channels of x does not fit.
  Tensor forward(const Tensor& x) override;
  /// Restores the initial values, including the running statistics.
  void reset_parameters();

  InstanceNormOptions options;
  Parameter weight;            ///< [C]; undefined if not affine
  Parameter bias;              ///< [C]; undefined without bias
  Buffer running_mean;         ///< [C]; undefined unless tracked
  Buffer running_var;          ///< [C]
  Buffer num_batches_tracked;  ///< int64, rank 0; stays 0, as in PyTorch

 protected:
  InstanceNorm(const InstanceNormOptions& options, int spatial);

 private:
  int spatial_;
};

/// For x [N, C, L] or [C, L], torch.nn.InstanceNorm1d.
class MINIMA_API InstanceNorm1d : public InstanceNorm {
 public:
  explicit InstanceNorm1d(const InstanceNormOptions& options) : InstanceNorm(options, 1) {}
};

/// For x [N, C, H, W] or [C, H, W], torch.nn.InstanceNorm2d: `nn::InstanceNorm2d({.features = 64})`.
class MINIMA_API InstanceNorm2d : public InstanceNorm {
 public:
  explicit InstanceNorm2d(const InstanceNormOptions& options) : InstanceNorm(options, 2) {}
};

/// For x [N, C, D, H, W] or [C, D, H, W], torch.nn.InstanceNorm3d.
class MINIMA_API InstanceNorm3d : public InstanceNorm {
 public:
  explicit InstanceNorm3d(const InstanceNormOptions& options) : InstanceNorm(options, 3) {}
};

/// Divides by the energy of neighbouring channels, torch.nn.LocalResponseNorm. Options as in `local_response_norm`.
class MINIMA_API LocalResponseNorm : public Module {
 public:
  explicit LocalResponseNorm(const LocalResponseNormOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override;
  LocalResponseNormOptions options;
};

}  // namespace minima::nn
