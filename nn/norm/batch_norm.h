#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/norm/batch_norm.h>

namespace minima::nn {

struct BatchNormOptions {
  std::int64_t features = 0;  ///< channels C
  double eps = 1e-5;          ///< at least 0
  double momentum = 0.1;      ///< weight of the new batch in the running statistics, from 0 to 1
  bool affine = true;         ///< learn weight and bias per channel
  bool bias = true;           ///< false: learn the weight only
  bool track_running_stats = true;
};

/// Common base of BatchNorm1d, BatchNorm2d and BatchNorm3d. Per channel:
///   y = (x - mean) / √(var + eps) · weight + bias
/// Training mode uses the batch's statistics and averages them into `running_mean` and `running_var` (the latter
/// unbiased); evaluation mode uses those averages. Weight is initialised to 1, bias to 0.
class MINIMA_API BatchNorm : public Module {
 public:
  /// Throws ShapeError if the rank or the number of channels of x does not fit.
  Tensor forward(const Tensor& x) override;
  /// max(forward(x) + residual, 0) in one operator, batch_norm_relu. residual has the shape of x or is undefined.
  /// Does not run forward hooks.
  Tensor relu(const Tensor& x, const Tensor& residual = {});
  /// Restores the initial values, including the running statistics.
  void reset_parameters();

  BatchNormOptions options;
  /// Sums a vector over all ranks, differentiably. If set, training mode uses the statistics of the combined batch.
  /// distributed::synchronize_batch_norm sets it.
  Function<Tensor(const Tensor&)> sum_over_ranks;
  Parameter weight;            ///< [C]; undefined if not affine
  Parameter bias;              ///< [C]; undefined without bias
  Buffer running_mean;         ///< [C]; undefined unless tracked
  Buffer running_var;          ///< [C]
  Buffer num_batches_tracked;  ///< int64, rank 0

 protected:
  explicit BatchNorm(const BatchNormOptions& options);
  /// Throws ShapeError unless the layer accepts the rank of x.
  virtual void check_rank(const Tensor& x) const = 0;

 private:
  void check(const Tensor& x) const;
  minima::BatchNormOptions operator_options() const;
  void count_batch();
  bool takes_all_ranks() const { return sum_over_ranks && (is_training() || !running_mean.defined()); }
  Tensor normalize_over_ranks(const Tensor& x);
};

/// For x [N, C] or [N, C, L], torch.nn.BatchNorm1d.
class MINIMA_API BatchNorm1d : public BatchNorm {
 public:
  explicit BatchNorm1d(const BatchNormOptions& options) : BatchNorm(options) {}

 private:
  void check_rank(const Tensor& x) const override;
};

/// For x [N, C, H, W], torch.nn.BatchNorm2d: `nn::BatchNorm2d({.features = 64})`.
class MINIMA_API BatchNorm2d : public BatchNorm {
 public:
  explicit BatchNorm2d(const BatchNormOptions& options) : BatchNorm(options) {}

 private:
  void check_rank(const Tensor& x) const override;
};

/// For x [N, C, D, H, W], torch.nn.BatchNorm3d.
class MINIMA_API BatchNorm3d : public BatchNorm {
 public:
  explicit BatchNorm3d(const BatchNormOptions& options) : BatchNorm(options) {}

 private:
  void check_rank(const Tensor& x) const override;
};

}  // namespace minima::nn
