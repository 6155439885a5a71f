#include <minima/ops/recurrent/recurrent_cudnn.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/op.h>
#include <minima/ops/recurrent/recurrent_layer.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

using Inputs = std::span<const Tensor>;

/// The products of all layers, and about 30 operations for each element of the gates. Weights count once.
Cost network_cost(const RecurrentNetwork& network, Inputs inputs) {
  const Tensor& x = inputs[0];
  const double rows = static_cast<double>(x.numel()) / static_cast<double>(x.size(-1) == 0 ? 1 : x.size(-1));
  double weights = 0, gates = 0;
  for (const Tensor& weight : inputs.subspan(1 + network.states()))
    if (weight.rank() == 2) weights += static_cast<double>(weight.numel());
  for (std::size_t i = 0; i < network.pseudo_layers(inputs); ++i)
    gates += rows * static_cast<double>(network.weight(inputs, i, 0).size(0));
  return {.flops = 2 * rows * weights + 30 * gates,
          .bytes = static_cast<double>(x.itemsize()) * (static_cast<double>(x.numel()) + 2 * gates + weights)};
}

/// The gradients through minima's own operators, which can be differentiated again. The forward pass runs once more.
std::vector<Tensor> gradients_by_operators(const RecurrentNetwork& network, std::span<const Tensor> inputs,
                                           std::array<Tensor, 3> of_outputs, const Needs& needs) {
  const bool is_recorded = is_grad_enabled();
  const EnableGrad guard;
  // Inputs may depend on one another: differentiation ends at views of their own.
  std::vector<Tensor> own(inputs.begin(), inputs.end()), wanted, outputs, of;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!needs[static_cast<int>(i)]) continue;
    own[i] = is_recorded ? squeeze(unsqueeze(own[i], 0), 0) : own[i].detach().requires_grad(true);
    wanted.push_back(own[i]);
  }
  const std::array<Tensor, 3> results = apply_network(network, own);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!of_outputs[i].defined() || !results[i].defined()) continue;
    outputs.push_back(results[i]);
    of.push_back(of_outputs[i]);
  }
  std::vector<Tensor> gradients(inputs.size());
  if (outputs.empty() || wanted.empty()) return gradients;
  std::vector<Tensor> found = grad(outputs, wanted, of, {.create_graph = is_recorded, .allow_unused = true});
  for (std::size_t i = 0, next = 0; i < own.size(); ++i)
    if (needs[static_cast<int>(i)]) gradients[i] = std::move(found[next++]);
  return gradients;
}

template <RecurrentKind kind>
struct CudnnNetwork {
  static constexpr Traits traits{.name = name_of(kind), .hidden = 1};
  RecurrentNetwork network;

  std::array<TensorSpec, 4> result(Inputs inputs) const {
    const Tensor &x = inputs[0], &h0 = inputs[1];
    Shape y = x.shape();
    y[y.rank() - 1] = h0.size(2) * (network.is_bidirectional ? 2 : 1);
    std::int64_t reserve = 0;
    if constexpr (has_cuda_kernels) reserve = static_cast<std::int64_t>(reserve_bytes(network, inputs));
    return {spec_of(y, x.dtype(), x.device()), spec_of(h0.shape(), x.dtype(), x.device()),
            spec_of(kind == RecurrentKind::lstm ? inputs[2].shape() : Shape{0}, x.dtype(), x.device()),
            spec_of({reserve}, DType::uint8, x.device())};
  }
  Cost cost(Inputs inputs) const { return network_cost(network, inputs); }
  void cpu(Inputs inputs, Tensor& y, Tensor& h, Tensor& c, Tensor&) const {
    const NoGrad guard;
    const std::array<Tensor, 3> results = apply_network(network, inputs);
    copy_values(results[0], y);
    copy_values(results[1], h);
    if (results[2].defined()) copy_values(results[2], c);
  }
  void cuda(Inputs inputs, Tensor& y, Tensor& h, Tensor& c, Tensor& reserve) const {
    if constexpr (has_cuda_kernels) run_network_by_cudnn(network, inputs, y, h, c, reserve);
  }
  std::vector<Tensor> gradient(GradAt<0> of_y, GradAt<1> of_h, GradAt<2> of_c, InputList inputs, Needs needs) const {
    return gradients_by_operators(network, inputs, {of_y, of_h, of_c}, needs);
  }
  std::vector<Tensor> fast_gradient(GradAt<0> of_y, GradAt<1> of_h, GradAt<2> of_c, InputList inputs, OutputAt<0> y,
                                    Hidden<0> reserve, Needs needs) const {
    if constexpr (has_cuda_kernels)
      if (on_cuda(y)) try {
          const Cost forward = network_cost(network, inputs);
          const Reported reported("recurrent_gradient", {.flops = 2 * forward.flops, .bytes = 2 * forward.bytes});
          return network_gradient_by_cudnn(network, inputs, y, {of_y, of_h, of_c}, reserve, needs);
        } catch (const RecurrentRefusal&) {}
    return gradients_by_operators(network, inputs, {of_y, of_h, of_c}, needs);
  }
};

}  // namespace

std::array<Tensor, 3> apply_network_by_cudnn(const RecurrentNetwork& network, std::span<const Tensor> inputs) {
  const auto run = [&]<RecurrentKind kind> { return minima::apply(CudnnNetwork<kind>{network}, inputs); };
  switch (network.kind) {
    case RecurrentKind::rnn_tanh: return run.operator()<RecurrentKind::rnn_tanh>();
    case RecurrentKind::rnn_relu: return run.operator()<RecurrentKind::rnn_relu>();
    case RecurrentKind::lstm: return run.operator()<RecurrentKind::lstm>();
    case RecurrentKind::gru: break;
  }
  return run.operator()<RecurrentKind::gru>();
}

}  // namespace minima::detail
