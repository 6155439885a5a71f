#include <torch/nn/modules/linear.h>

#include <c10/util/Exception.h>
#include <torch/nn/functional/linear.h>
#include <torch/nn/init.h>

#include <cmath>
#include <string>
#include <tuple>

#include "fan.h"
#include "layer_printer.h"

namespace F = torch::nn::functional;

namespace torch::nn {

void reset_by_fan(const Tensor& weight, const Tensor& bias) {
  init::kaiming_uniform_(weight, std::sqrt(5));
  if (!bias.defined()) return;
  const double bound = 1 / std::sqrt(static_cast<double>(std::get<0>(init::_calculate_fan_in_and_fan_out(weight))));
  init::uniform_(bias, -bound, bound);
}

void IdentityImpl::pretty_print(std::ostream& stream) const { LayerPrinter(stream, "Identity"); }

LinearImpl::LinearImpl(int64_t in_features, int64_t out_features)
    : LinearImpl(LinearOptions(in_features, out_features)) {}
LinearImpl::LinearImpl(const LinearOptions& options_) : options(options_) { LinearImpl::reset(); }
void LinearImpl::reset() {
  weight = register_parameter("weight", torch::empty({options.out_features(), options.in_features()}));
  bias = register_parameter("bias", options.bias() ? torch::empty({options.out_features()}) : Tensor(), options.bias());
  reset_parameters();
}
void LinearImpl::reset_parameters() { reset_by_fan(weight, bias); }
void LinearImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "Linear")("in_features", options.in_features())("out_features", options.out_features())(
      "bias", options.bias());
}
Tensor LinearImpl::forward(const Tensor& input) { return F::linear(input, weight, bias); }

BilinearImpl::BilinearImpl(int64_t in1_features, int64_t in2_features, int64_t out_features)
    : BilinearImpl(BilinearOptions(in1_features, in2_features, out_features)) {}
BilinearImpl::BilinearImpl(const BilinearOptions& options_) : options(options_) { BilinearImpl::reset(); }
void BilinearImpl::reset() {
  weight = register_parameter("weight",
                              torch::empty({options.out_features(), options.in1_features(), options.in2_features()}));
  bias = register_parameter("bias", options.bias() ? torch::empty({options.out_features()}) : Tensor(), options.bias());
  reset_parameters();
}
void BilinearImpl::reset_parameters() {
  const double bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
  init::uniform_(weight, -bound, bound);
  if (bias.defined()) init::uniform_(bias, -bound, bound);
}
void BilinearImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "Bilinear")("in1_features", options.in1_features())("in2_features", options.in2_features())(
      "out_features", options.out_features())("bias", options.bias());
}
Tensor BilinearImpl::forward(const Tensor& input1, const Tensor& input2) {
  return F::bilinear(input1, input2, weight, bias);
}

void FlattenImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "Flatten")("start_dim", options.start_dim())("end_dim", options.end_dim());
}
Tensor FlattenImpl::forward(const Tensor& input) { return input.flatten(options.start_dim(), options.end_dim()); }

void UnflattenImpl::pretty_print(std::ostream& stream) const {
  std::string sizes;
  const auto add = [&](const std::string& size) { sizes += (sizes.empty() ? "" : ", ") + size; };
  if (options.dimname().empty()) {
    for (const int64_t size : options.sizes()) add(std::to_string(size));
    LayerPrinter(stream, "Unflatten")("dim", options.dim())("unflattened_size", '{' + sizes + '}');
  } else {
    for (const auto& [name, size] : options.namedshape()) add("{\"" + name + "\", " + std::to_string(size) + '}');
    LayerPrinter(stream, "Unflatten")("dim", '"' + options.dimname() + '"')("unflattened_size", '{' + sizes + '}');
  }
}
Tensor UnflattenImpl::forward(const Tensor& input) {
  TORCH_CHECK(options.dimname().empty(),
              "Unflatten: tensors have no named dimensions here; use UnflattenOptions(dim, "
              "sizes) with the dimension's index instead of \"",
              options.dimname(), '"');
  return input.unflatten(options.dim(), options.sizes());
}

}  // namespace torch::nn
