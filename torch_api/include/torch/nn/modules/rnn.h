#pragma once

#include <torch/nn/modules/common.h>
#include <torch/nn/modules/layer.h>
#include <torch/nn/options/rnn.h>
#include <torch/nn/utils/rnn.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace torch::nn {

namespace detail {

/// The weights of recurrent networks. Defined for RNN, LSTM and GRU only.
template <typename Derived>
class RNNImplBase : public Cloneable<Derived> {
 public:
  explicit RNNImplBase(const RNNOptionsBase& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Does nothing: weights need not be one block of memory here.
  void flatten_parameters() {}
  std::vector<Tensor> all_weights() const { return flat_weights_; }

  RNNOptionsBase options_base;

 protected:
  void check_input(const Tensor& input, const Tensor& batch_sizes) const;
  /// Throws unless the state is [layers · directions, batch, features].
  void check_hidden_size(const Tensor& state, const Tensor& input, const Tensor& batch_sizes, int64_t features,
                         const char* name) const;
  int64_t output_features() const;

  /// Per layer and direction: weight_ih, weight_hh, then bias_ih, bias_hh and weight_hr where there are such.
  std::vector<Tensor> flat_weights_;
};

/// A recurrent network whose state is one tensor.
template <typename Derived, typename Options>
class HiddenStateRNN : public RNNImplBase<Derived> {
 public:
  HiddenStateRNN(int64_t input_size, int64_t hidden_size);
  explicit HiddenStateRNN(const Options& options_);
  /// The output [T, B, D·H] and the last state [L·D, B, H].
  std::tuple<Tensor, Tensor> forward(const Tensor& input, Tensor hx = {});
  std::tuple<utils::rnn::PackedSequence, Tensor> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, Tensor hx = {});

  Options options;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())})
  std::tuple<Tensor, Tensor> run(const Tensor& input, const Tensor& batch_sizes, const Tensor& hx);
};

}  // namespace detail

class RNNImpl : public detail::HiddenStateRNN<RNNImpl, RNNOptions> {
 public:
  using detail::HiddenStateRNN<RNNImpl, RNNOptions>::HiddenStateRNN;
};
TORCH_MODULE(RNN);

class GRUImpl : public detail::HiddenStateRNN<GRUImpl, GRUOptions> {
 public:
  using detail::HiddenStateRNN<GRUImpl, GRUOptions>::HiddenStateRNN;
};
TORCH_MODULE(GRU);

class LSTMImpl : public detail::RNNImplBase<LSTMImpl> {
 public:
  using State = std::tuple<Tensor, Tensor>;

  LSTMImpl(int64_t input_size, int64_t hidden_size);
  explicit LSTMImpl(const LSTMOptions& options_);
  /// The output [T, B, D·P] and the last states [L·D, B, P] and [L·D, B, H].
  std::tuple<Tensor, std::tuple<Tensor, Tensor>> forward(const Tensor& input, std::optional<State> hx_opt = {});
  std::tuple<utils::rnn::PackedSequence, std::tuple<Tensor, Tensor>> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, std::optional<State> hx_opt = {});

  LSTMOptions options;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(std::optional<std::tuple<Tensor, Tensor>>())})
  std::tuple<Tensor, State> run(const Tensor& input, const Tensor& batch_sizes, const std::optional<State>& state);
};
TORCH_MODULE(LSTM);

namespace detail {

/// The weights of one step. Defined for RNNCell, LSTMCell and GRUCell only.
template <typename Derived>
class RNNCellImplBase : public Cloneable<Derived> {
 public:
  explicit RNNCellImplBase(const RNNCellOptionsBase& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;

  RNNCellOptionsBase options_base;
  Tensor weight_ih, weight_hh, bias_ih, bias_hh;

 protected:
  void check_forward_input(const Tensor& input, const std::string& name) const;
  /// Throws unless the state, number `index`, is undefined or fits the input.
  void check_state(const Tensor& state, const Tensor& input, const std::string& name, int index) const;
  virtual std::string get_nonlinearity_str() const { return ""; }
};

}  // namespace detail

class RNNCellImpl : public detail::RNNCellImplBase<RNNCellImpl> {
 public:
  RNNCellImpl(int64_t input_size, int64_t hidden_size);
  explicit RNNCellImpl(const RNNCellOptions& options_);
  Tensor forward(const Tensor& input, const Tensor& hx = {});

  RNNCellOptions options;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())})
  std::string get_nonlinearity_str() const override;
};
TORCH_MODULE(RNNCell);

class LSTMCellImpl : public detail::RNNCellImplBase<LSTMCellImpl> {
 public:
  LSTMCellImpl(int64_t input_size, int64_t hidden_size);
  explicit LSTMCellImpl(const LSTMCellOptions& options_);
  std::tuple<Tensor, Tensor> forward(const Tensor& input, std::optional<std::tuple<Tensor, Tensor>> hx_opt = {});

  LSTMCellOptions options;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(std::optional<std::tuple<Tensor, Tensor>>())})
};
TORCH_MODULE(LSTMCell);

class GRUCellImpl : public detail::RNNCellImplBase<GRUCellImpl> {
 public:
  GRUCellImpl(int64_t input_size, int64_t hidden_size);
  explicit GRUCellImpl(const GRUCellOptions& options_);
  Tensor forward(const Tensor& input, const Tensor& hx = {});

  GRUCellOptions options;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())})
};
TORCH_MODULE(GRUCell);

}  // namespace torch::nn
