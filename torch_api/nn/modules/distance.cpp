#include <torch/nn/modules/distance.h>

#include <torch/nn/functional/distance.h>

#include "layer_printer.h"

namespace F = torch::nn::functional;

namespace torch::nn {

Tensor CosineSimilarityImpl::forward(const Tensor& input1, const Tensor& input2) {
  return F::cosine_similarity(input1, input2, options);
}
void CosineSimilarityImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "CosineSimilarity")("dim", options.dim())("eps", options.eps());
}

Tensor PairwiseDistanceImpl::forward(const Tensor& input1, const Tensor& input2) {
  return F::pairwise_distance(input1, input2, options);
}
void PairwiseDistanceImpl::pretty_print(std::ostream& stream) const {
  LayerPrinter(stream, "PairwiseDistance")("p", options.p())("eps", options.eps())("keepdim", options.keepdim());
}

}  // namespace torch::nn
