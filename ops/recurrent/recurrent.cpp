#include <minima/ops/recurrent/recurrent.h>
#include <minima/tensor/settings.h>

#include <minima/ops/core/on_cuda.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/dropout/dropout.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/linear.h>
#include <minima/ops/recurrent/recurrent_cudnn.h>
#include <minima/ops/recurrent/recurrent_layer.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace minima {

namespace {

using detail::RecurrentKind;

/// A call with its sizes, which are checked first.
class Network {
 public:
  Network(RecurrentKind kind, const char* name, const Tensor& x, std::span<const RecurrentWeights> weights,
          const RecurrentOptions& options)
      : kind_(kind),
        name_(name),
        weights_(weights),
        options_(options),
        directions_(options.bidirectional ? 2 : 1),
        is_packed_(!options.batch_sizes.empty()) {
    if (weights.empty() || weights.size() % directions_ != 0)
      throw ValueError(str(name, ": needs the weights of each layer", options.bidirectional ? " and direction" : "",
                           ", got ", weights.size()));
    if (!(options.dropout >= 0 && options.dropout <= 1))
      throw ValueError(str(name, ": dropout must be from 0 to 1, got ", options.dropout));
    check_input(x);
    for (std::size_t i = 0; i < weights.size(); ++i) check_weights(x, i);
  }

  /// `by_cudnn`: whether cuDNN may compute layers.
  LstmResult run(const Tensor& x, const Tensor& h0, const Tensor& c0, bool by_cudnn) const {
    const Tensor hidden = initial(x, h0, "h0", output_width()), cells = initial(x, c0, "c0", width());
    const detail::RecurrentSteps forward{sizes(), false}, backward{forward.sizes, true};
    std::vector<Tensor> last_h, last_c;  // [pseudo-layers, B, ·]
    Tensor y = is_unbatched_ ? unsqueeze(x, batch_dim()) : x;
    by_cudnn = by_cudnn && detail::on_cuda(x) && !is_deterministic();
    for (std::size_t i = 0; i < weights_.size();) {
      if (i > 0 && options_.dropout > 0) y = dropout(y, options_.dropout, true, options_.generator);
      const std::size_t together = options_.dropout > 0 ? directions_ : weights_.size() - i;
      if (by_cudnn) by_cudnn = run_by_cudnn(i, together, forward.sizes, hidden, cells, y, last_h, last_c);
      if (by_cudnn) {
        i += together;
        continue;
      }
      std::vector<Tensor> outputs;
      for (std::size_t d = 0; d < directions_; ++d) {
        const auto state = static_cast<std::int64_t>(i + d);
        auto [out, h, c] = run_layer(d == 0 ? forward : backward, weights_[i + d], y, select(hidden, 0, state),
                                     is_lstm() ? select(cells, 0, state) : Tensor());
        outputs.push_back(std::move(out));
        last_h.push_back(unsqueeze(h, 0));
        if (is_lstm()) last_c.push_back(unsqueeze(c, 0));
      }
      y = directions_ == 1 ? outputs[0] : cat(outputs, -1);
      i += directions_;
    }
    const auto joined = [](const std::vector<Tensor>& states) {
      return states.size() == 1 ? states[0] : cat(states, 0);
    };
    LstmResult result{std::move(y), joined(last_h), is_lstm() ? joined(last_c) : Tensor()};
    if (is_unbatched_) {
      result.y = squeeze(result.y, batch_dim());
      result.h = squeeze(result.h, 1);
      if (result.c.defined()) result.c = squeeze(result.c, 1);
    }
    return result;
  }

 private:
  bool is_lstm() const { return kind_ == RecurrentKind::lstm; }
  std::int64_t gates() const { return detail::gates_of(kind_); }
  std::int64_t width() const { return weights_[0].w_hh.size(0) / gates(); }
  std::int64_t output_width() const { return weights_[0].w_hh.size(1); }
  int batch_dim() const { return options_.batch_first ? 0 : 1; }

  void check_input(const Tensor& x) {
    if (!x.defined()) throw ValueError(str(name_, ": argument 0 is undefined"));
    if (!is_floating(x.dtype()))
      throw DTypeError(str(name_, ": needs a floating x, got ", x, "; convert it with to()"));
    if (!is_packed_) {
      if (x.rank() != 2 && x.rank() != 3)
        throw ShapeError(str(name_, ": x must be ", options_.batch_first ? "[B, T, I]" : "[T, B, I]",
                             ", or [T, I] without a batch, got ", x));
      is_unbatched_ = x.rank() == 2;
      batch_ = is_unbatched_ ? 1 : x.size(batch_dim());
      return;
    }
    const auto& sizes = options_.batch_sizes;
    if (x.rank() != 2) throw ShapeError(str(name_, ": packed sequences are [rows, I], got ", x));
    batch_ = sizes[0];
    if (!std::is_sorted(sizes.rbegin(), sizes.rend()) || sizes.back() < 1 ||
        std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != x.size(0))
      throw ValueError(str(name_, ": batch_sizes must be at least 1, never grow, and add up to the ", x.size(0),
                           " rows of x, got ", sizes.front(), " to ", sizes.back()));
  }

  void check_weights(const Tensor& x, std::size_t i) const {
    const RecurrentWeights& w = weights_[i];
    const auto expect = [&](const Tensor& tensor, const char* tensor_name, const Shape& shape) {
      if (tensor.shape() != shape)
        throw ShapeError(str(name_, ": ", tensor_name, " of weights ", i, " must be ", shape, ", got ", tensor));
      if (tensor.dtype() != x.dtype() && !detail::mode().autocast)
        throw DTypeError(
            str(name_, ": dtypes differ: x ", x, ", ", tensor_name, " ", tensor, "; convert them with to()"));
    };
    if (!w.w_ih.defined() || !w.w_hh.defined() || w.w_hh.rank() != 2)
      throw ShapeError(str(name_, ": weights ", i, " need w_ih [", gates(), "·H, I] and w_hh [", gates(),
                           "·H, H], got ", w.w_ih, " and ", w.w_hh));
    if (w.w_hr.defined() && kind_ != RecurrentKind::lstm)
      throw ValueError(str(name_, ": only lstm has a projection w_hr"));
    const std::int64_t rows = weights_[0].w_hh.size(0);
    if (rows == 0 || rows % gates() != 0)
      throw ShapeError(str(name_, ": w_hh must be [", gates(), "·H, H], got ", weights_[0].w_hh));
    const std::int64_t out = weights_[0].w_hr.defined() ? output_width() : width();
    expect(w.w_ih, "w_ih", {rows, i < directions_ ? x.size(-1) : static_cast<std::int64_t>(directions_) * out});
    expect(w.w_hh, "w_hh", {rows, out});
    if (w.b_ih.defined()) expect(w.b_ih, "b_ih", {rows});
    if (w.b_hh.defined()) expect(w.b_hh, "b_hh", {rows});
    if (w.w_hr.defined() != weights_[0].w_hr.defined())
      throw ValueError(str(name_, ": either all weights have a projection w_hr, or none"));
    if (w.w_hr.defined()) expect(w.w_hr, "w_hr", {out, width()});
  }

  /// The state [L·D, B, W] before the first step, zeros if undefined.
  Tensor initial(const Tensor& x, const Tensor& state, const char* state_name, std::int64_t size) const {
    const auto count = static_cast<std::int64_t>(weights_.size());
    if (!state.defined()) return zeros({count, batch_, size}, {.dtype = x.dtype(), .device = x.device()});
    const Shape expected = is_unbatched_ ? Shape{count, size} : Shape{count, batch_, size};
    if (state.shape() != expected)
      throw ShapeError(str(name_, ": ", state_name, " must be ", expected, " for x ", x, ", got ", state));
    if (state.dtype() != x.dtype() && !detail::mode().autocast)
      throw DTypeError(str(name_, ": dtypes differ: x ", x, ", ", state_name, " ", state, "; convert them with to()"));
    return is_unbatched_ ? unsqueeze(state, 1) : state;
  }

  std::shared_ptr<const std::vector<std::int64_t>> sizes() const {
    if (!is_packed_) return nullptr;
    return std::make_shared<const std::vector<std::int64_t>>(options_.batch_sizes.begin(), options_.batch_sizes.end());
  }

  /// Runs `count` layers and directions from the first one: replaces y and adds the last states. Returns false, with
  /// nothing done, where cuDNN is not there or refuses.
  bool run_by_cudnn(std::size_t first, std::size_t count,
                    const std::shared_ptr<const std::vector<std::int64_t>>& batch_sizes, const Tensor& hidden,
                    const Tensor& cells, Tensor& y, std::vector<Tensor>& last_h, std::vector<Tensor>& last_c) const {
    if constexpr (!detail::has_cuda_kernels) return false;
    const bool is_flipped = options_.batch_first && !is_packed_, is_biased = weights_[first].b_ih.defined();
    const auto of_layers = [&](const Tensor& states) {
      return count == weights_.size()
                 ? states
                 : narrow(states, 0, static_cast<std::int64_t>(first), static_cast<std::int64_t>(count));
    };
    std::vector<Tensor> inputs{is_flipped ? transpose(y, 0, 1) : y, of_layers(hidden)};
    if (is_lstm()) inputs.push_back(of_layers(cells));
    for (const RecurrentWeights& w : weights_.subspan(first, count)) {
      if (w.b_ih.defined() != is_biased || w.b_hh.defined() != is_biased) return false;
      inputs.insert(inputs.end(), {w.w_ih, w.w_hh});
      if (is_biased) inputs.insert(inputs.end(), {w.b_ih, w.b_hh});
      if (w.w_hr.defined()) inputs.push_back(w.w_hr);
    }
    if (detail::mode().autocast) detail::autocast_inputs(Cast::to_lower, inputs.data(), inputs.size());
    const detail::WithoutAutocast guard;
    const detail::RecurrentNetwork network{kind_, batch_sizes, options_.bidirectional, is_biased,
                                           weights_[first].w_hr.defined()};
    if constexpr (detail::has_cuda_kernels)
      if (!detail::is_for_cudnn(network, inputs)) return false;
    try {
      auto [out, h, c] = detail::apply_network_by_cudnn(network, inputs);
      y = is_flipped ? transpose(out, 0, 1) : out;
      last_h.push_back(std::move(h));
      if (is_lstm()) last_c.push_back(std::move(c));
      return true;
    } catch (const detail::RecurrentRefusal&) {
      return false;
    }
  }

  std::array<Tensor, 3> run_layer(const detail::RecurrentSteps& steps, const RecurrentWeights& w, const Tensor& x,
                                  const Tensor& h0, const Tensor& c0) const {
    // Only in gru is b_hh not simply added to b_ih.
    const bool is_separate = kind_ == RecurrentKind::gru;
    const Tensor bias = is_separate || !w.b_hh.defined() ? w.b_ih : w.b_ih.defined() ? w.b_ih + w.b_hh : w.b_hh;
    const bool is_flipped = options_.batch_first && !is_packed_;
    const auto flipped = [&](const Tensor& t) { return is_flipped ? transpose(t, 0, 1) : t; };
    auto [y, h, c] = detail::recurrent_layer(kind_, steps, flipped(linear(x, w.w_ih, bias)), h0, c0, w.w_hh,
                                             is_separate ? w.b_hh : Tensor(), w.w_hr);
    return {flipped(y), std::move(h), std::move(c)};
  }

  RecurrentKind kind_;
  const char* name_;
  std::span<const RecurrentWeights> weights_;
  const RecurrentOptions& options_;
  std::size_t directions_;
  bool is_packed_, is_unbatched_ = false;
  std::int64_t batch_ = 0;
};

RecurrentResult run(RecurrentKind kind, const char* name, const Tensor& x, const Tensor& h0,
                    std::span<const RecurrentWeights> weights, const RecurrentOptions& options) {
  LstmResult result = Network(kind, name, x, weights, options).run(x, h0, {}, true);
  return {std::move(result.y), std::move(result.h)};
}

}  // namespace

RecurrentResult rnn_tanh(const Tensor& x, const Tensor& h0, std::span<const RecurrentWeights> weights,
                         const RecurrentOptions& options) {
  return run(RecurrentKind::rnn_tanh, "rnn_tanh", x, h0, weights, options);
}

RecurrentResult rnn_relu(const Tensor& x, const Tensor& h0, std::span<const RecurrentWeights> weights,
                         const RecurrentOptions& options) {
  return run(RecurrentKind::rnn_relu, "rnn_relu", x, h0, weights, options);
}

RecurrentResult gru(const Tensor& x, const Tensor& h0, std::span<const RecurrentWeights> weights,
                    const RecurrentOptions& options) {
  return run(RecurrentKind::gru, "gru", x, h0, weights, options);
}

LstmResult lstm(const Tensor& x, const Tensor& h0, const Tensor& c0, std::span<const RecurrentWeights> weights,
                const RecurrentOptions& options) {
  return Network(RecurrentKind::lstm, "lstm", x, weights, options).run(x, h0, c0, true);
}

namespace detail {

std::array<Tensor, 3> apply_network(const RecurrentNetwork& network, std::span<const Tensor> inputs) {
  std::vector<RecurrentWeights> weights;
  for (std::size_t i = 0; i < network.pseudo_layers(inputs); ++i) {
    RecurrentWeights w{network.weight(inputs, i, 0), network.weight(inputs, i, 1)};
    if (network.is_biased) w.b_ih = network.weight(inputs, i, 2), w.b_hh = network.weight(inputs, i, 3);
    if (network.is_projected) w.w_hr = network.weight(inputs, i, network.weights_each() - 1);
    weights.push_back(std::move(w));
  }
  RecurrentOptions options{.bidirectional = network.is_bidirectional};
  if (network.sizes) options.batch_sizes = *network.sizes;
  LstmResult result = Network(network.kind, "recurrent network", inputs[0], weights, options)
                          .run(inputs[0], inputs[1], network.kind == RecurrentKind::lstm ? inputs[2] : Tensor(), false);
  return {std::move(result.y), std::move(result.h), std::move(result.c)};
}

}  // namespace detail

}  // namespace minima
