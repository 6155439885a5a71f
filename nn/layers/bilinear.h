#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/product/linear.h>

// A linear layer of two inputs. Included on its own, not by minima.h.

namespace minima::nn {

struct BilinearOptions {
  std::int64_t in1 = 0, in2 = 0, out = 0;
  bool bias = true;
};
/// bilinear with a learned weight, torch.nn.Bilinear, initialised as there: uniform on ±1/√in1.
class MINIMA_API Bilinear : public ModuleOf<Bilinear> {
 public:
  /// Throws ValueError unless all sizes are at least 1.
  explicit Bilinear(const BilinearOptions& options);
  Tensor forward(const Tensor& a, const Tensor& b) { return bilinear(a, b, weight, bias); }
  void reset_parameters();

  BilinearOptions options;
  Parameter weight;  ///< [out, in1, in2]
  Parameter bias;    ///< [out]; undefined without bias
};

}  // namespace minima::nn
