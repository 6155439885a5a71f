#include <torch/nn/modules/padding.h>

#include <torch/nn/functional/padding.h>

#include "layer_printer.h"

namespace F = torch::nn::functional;

namespace torch::nn {

namespace {

template <class Options>
F::PadFuncOptions amounts(const Options& options) {
  return F::PadFuncOptions(IntArrayRef(options.padding()).vec());
}

}  // namespace

#define DEFINE_PAD(NAME, SETTINGS, ...)                                                                \
  Tensor NAME##Impl::forward(const Tensor& input) { return F::pad(input, amounts(options) SETTINGS); } \
  void NAME##Impl::pretty_print(std::ostream& stream) const {                                          \
    LayerPrinter(stream, #NAME)("padding", options.padding()) __VA_ARGS__;                             \
  }
#define DEFINE_PADS(D)                                    \
  DEFINE_PAD(ReflectionPad##D, .mode(torch::kReflect))    \
  DEFINE_PAD(ReplicationPad##D, .mode(torch::kReplicate)) \
  DEFINE_PAD(ZeroPad##D, )                                \
  DEFINE_PAD(ConstantPad##D, .value(options.value()), ("value", options.value()))

DEFINE_PADS(1d)
DEFINE_PADS(2d)
DEFINE_PADS(3d)

#undef DEFINE_PAD
#undef DEFINE_PADS

}  // namespace torch::nn
