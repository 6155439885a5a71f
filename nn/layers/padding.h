#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/index/embedding_bag.h>
#include <minima/ops/product/distance.h>
#include <minima/ops/view/pad.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/random/generator.h>

// Padding as modules. Included on its own, not by minima.h.

namespace minima::nn {

struct PaddingOptions {
  Shape amounts = {};  ///< one number for all sides, or {left, right, …} from the last dimension on
  double value = 0;    ///< of constant padding
};
/// `pad` of the last `dims` dimensions as a module: `nn::ReflectionPad2d({.amounts = 1})`. torch.nn.ConstantPad2d and
/// the like.
template <PadMode mode, int dims>
class Padding : public Module {
 public:
  explicit Padding(const PaddingOptions& given) : options(given) {
    if (options.amounts.rank() == 1) options.amounts = Shape::filled(2 * dims, options.amounts[0]);
  }
  Tensor forward(const Tensor& x) override { return pad(x, options.amounts, mode, options.value); }
  PaddingOptions options;
};
using ConstantPad1d = Padding<PadMode::constant, 1>;
using ConstantPad2d = Padding<PadMode::constant, 2>;
using ConstantPad3d = Padding<PadMode::constant, 3>;
using ZeroPad1d = Padding<PadMode::constant, 1>;
using ZeroPad2d = Padding<PadMode::constant, 2>;
using ZeroPad3d = Padding<PadMode::constant, 3>;
using ReflectionPad1d = Padding<PadMode::reflect, 1>;
using ReflectionPad2d = Padding<PadMode::reflect, 2>;
using ReflectionPad3d = Padding<PadMode::reflect, 3>;
using ReplicationPad1d = Padding<PadMode::replicate, 1>;
using ReplicationPad2d = Padding<PadMode::replicate, 2>;
using ReplicationPad3d = Padding<PadMode::replicate, 3>;
using CircularPad1d = Padding<PadMode::circular, 1>;
using CircularPad2d = Padding<PadMode::circular, 2>;
using CircularPad3d = Padding<PadMode::circular, 3>;

}  // namespace minima::nn
