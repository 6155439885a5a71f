#include <minima/ops/recurrent/recurrent_cudnn.h>
#include <minima/tensor/settings.h>

#include <minima/autograd/primitives.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/cudnn/graph.h>
#include <minima/ops/cudnn/recent.h>
#include <minima/ops/op.h>
#include <minima/ops/recurrent/recurrent_layer.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/handles.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>
#include <minima/tensor/cuda/library_status.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/tensor.h>

#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace minima::detail {

namespace {

using Inputs = std::span<const Tensor>;

/// cuDNN says that it does not compute this.
struct Refused {
  std::string why;
};

void expect(cudnnStatus_t status, const char* call) {
  // 2000 to 2999: a parameter is bad, 3000 to 3999: not supported. Neither has done anything.
  if (status >= CUDNN_STATUS_BAD_PARAM && status < CUDNN_STATUS_NOT_SUPPORTED + 1000)
    throw Refused{str(call, ": ", cudnnGetErrorString(status))};
  cuda::check(status, call);
}
#define MINIMA_EXPECT(call) expect(call, #call)

template <class D, auto create, auto destroy>
class Descriptor {
 public:
  Descriptor() { expect(create(&descriptor_), "a descriptor of cuDNN's"); }
  ~Descriptor() { destroy(descriptor_); }
  Descriptor(const Descriptor&) = delete;
  operator D() const { return descriptor_; }  // NOLINT(google-explicit-constructor): passed to cuDNN

 private:
  D descriptor_ = nullptr;
};
using TensorDescriptor = Descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using NetworkDescriptor = Descriptor<cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor, cudnnDestroyRNNDescriptor>;
using DataDescriptor =
    Descriptor<cudnnRNNDataDescriptor_t, cudnnCreateRNNDataDescriptor, cudnnDestroyRNNDataDescriptor>;

cudnnDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::float64: return CUDNN_DATA_DOUBLE;
    case DType::float16: return CUDNN_DATA_HALF;
    case DType::bfloat16: return CUDNN_DATA_BFLOAT16;
    default: return CUDNN_DATA_FLOAT;
  }
}
cudnnMathType_t math_of(DType dtype) {
  if (is_half(dtype)) return CUDNN_TENSOR_OP_MATH;
  return cudnn::allows_tf32() && dtype == DType::float32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
}
cudnnRNNMode_t mode_of(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::rnn_tanh: return CUDNN_RNN_TANH;
    case RecurrentKind::rnn_relu: return CUDNN_RNN_RELU;
    case RecurrentKind::lstm: return CUDNN_LSTM;
    case RecurrentKind::gru: break;
  }
  return CUDNN_GRU;
}

struct Sizes {
  Sizes(const RecurrentNetwork& network, Inputs inputs)
      : steps(network.sizes ? static_cast<std::int64_t>(network.sizes->size()) : inputs[0].size(0)),
        batch(inputs[1].size(1)),
        in(inputs[0].size(-1)),
        hidden(network.hidden(inputs)),
        projection(inputs[1].size(2)),
        pseudo_layers(static_cast<std::int64_t>(network.pseudo_layers(inputs))),
        directions(network.is_bidirectional ? 2 : 1) {}
  std::int64_t steps, batch, in, hidden, projection, pseudo_layers, directions;
  std::int64_t out() const { return directions * projection; }
};

/// The bytes that cuDNN asks for.
struct Spaces {
  std::size_t weights = 0, workspace = 0, inference_workspace = 0, reserve = 0;
};

/// A call, described to cuDNN. Its streams and memory are the current device's.
class Described {
 public:
  const cudnnHandle_t handle = cuda::cudnn_handle();
  const NetworkDescriptor rnn;
  const DataDescriptor x_data, y_data;
  const TensorDescriptor h_state, c_state;

  Described(const RecurrentNetwork& network, Inputs inputs)
      : network_(network), inputs_(inputs), sizes_(network, inputs) {
    const DType dtype = inputs[0].dtype();
    const auto number = [](std::int64_t size) { return static_cast<std::int32_t>(size); };
    MINIMA_EXPECT(cudnnSetRNNDescriptor_v8(
        rnn, CUDNN_RNN_ALGO_STANDARD, mode_of(network.kind),
        network.is_biased ? CUDNN_RNN_DOUBLE_BIAS : CUDNN_RNN_NO_BIAS,
        network.is_bidirectional ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, type_of(dtype),
        dtype == DType::float64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT, math_of(dtype), number(sizes_.in),
        number(sizes_.hidden), number(sizes_.projection), number(sizes_.pseudo_layers / sizes_.directions), nullptr,
        network.sizes ? CUDNN_RNN_PADDED_IO_DISABLED : CUDNN_RNN_PADDED_IO_ENABLED));
    const std::vector<int> lengths = lengths_of_sequences();
    describe(x_data, sizes_.in, lengths);
    describe(y_data, sizes_.out(), lengths);
    describe(h_state, sizes_.projection);
    describe(c_state, sizes_.hidden);
  }

  Spaces ask() const {
    Spaces spaces;
    MINIMA_EXPECT(cudnnGetRNNWeightSpaceSize(handle, rnn, &spaces.weights));
    MINIMA_EXPECT(
        cudnnGetRNNTempSpaceSizes(handle, rnn, CUDNN_FWD_MODE_TRAINING, x_data, &spaces.workspace, &spaces.reserve));
    MINIMA_EXPECT(
        cudnnGetRNNTempSpaceSizes(handle, rnn, CUDNN_FWD_MODE_INFERENCE, x_data, &spaces.inference_workspace, nullptr));
    return spaces;
  }

  /// Calls visit(i, row, part) for each weight i of the inputs: `part` is what cuDNN's weight space has of it from that
  /// row on, all of it unless its gates are apart.
  template <class Visit>
  void each_weight(const Tensor& space, const Visit& visit) const {
    const TensorDescriptor matrix, bias;
    const int gates = gates_of(network_.kind);
    for (std::int64_t layer = 0; layer < sizes_.pseudo_layers; ++layer) {
      const auto address = [&](int id, bool is_bias) {
        void *of_matrix = nullptr, *of_bias = nullptr;
        MINIMA_EXPECT(cudnnGetRNNWeightParams(handle, rnn, static_cast<std::int32_t>(layer),
                                              static_cast<std::size_t>(space.numel()), space.raw_data(), id, matrix,
                                              &of_matrix, bias, &of_bias));
        return static_cast<const char*>(is_bias ? of_bias : of_matrix);
      };
      const std::size_t first = 1 + network_.states() + static_cast<std::size_t>(layer) * network_.weights_each();
      const auto visit_gates = [&](std::size_t i, int first_id, int count, bool is_bias) {
        const Tensor& weight = inputs_[first + i];
        const std::int64_t gate_bytes = weight.numel() / count * static_cast<std::int64_t>(weight.itemsize());
        std::vector<const char*> places(static_cast<std::size_t>(count));
        bool is_whole = true;
        for (std::size_t gate = 0; gate < places.size(); ++gate) {
          places[gate] = address(first_id + static_cast<int>(gate), is_bias);
          is_whole = is_whole && places[gate] == places[0] + static_cast<std::int64_t>(gate) * gate_bytes;
        }
        if (is_whole) return visit(first + i, std::int64_t{0}, part(space, weight, 1, places[0]));
        for (int gate = 0; gate < count; ++gate)
          visit(first + i, weight.size(0) / count * gate,
                part(space, weight, count, places[static_cast<std::size_t>(gate)]));
      };
      visit_gates(0, 0, gates, false);
      visit_gates(1, gates, gates, false);
      if (network_.is_biased) {
        visit_gates(2, 0, gates, true);
        visit_gates(3, gates, gates, true);
      }
      if (network_.is_projected) visit_gates(network_.weights_each() - 1, 2 * gates, 1, false);
    }
  }

 private:
  std::vector<int> lengths_of_sequences() const {
    const auto batch = static_cast<std::size_t>(sizes_.batch);
    if (!network_.sizes) return std::vector<int>(batch, static_cast<int>(sizes_.steps));
    std::vector<int> lengths(batch, 0);
    for (const std::int64_t count : *network_.sizes)
      for (std::int64_t i = 0; i < count; ++i) ++lengths[static_cast<std::size_t>(i)];
    return lengths;
  }
  void describe(cudnnRNNDataDescriptor_t data, std::int64_t width, const std::vector<int>& lengths) const {
    MINIMA_EXPECT(cudnnSetRNNDataDescriptor(
        data, type_of(inputs_[0].dtype()),
        network_.sizes ? CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED : CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
        static_cast<int>(sizes_.steps), static_cast<int>(sizes_.batch), static_cast<int>(width), lengths.data(),
        nullptr));
  }
  void describe(cudnnTensorDescriptor_t state, std::int64_t width) const {
    const int dims[] = {static_cast<int>(sizes_.pseudo_layers), static_cast<int>(sizes_.batch),
                        static_cast<int>(width)};
    const int strides[] = {dims[1] * dims[2], dims[2], 1};
    MINIMA_EXPECT(cudnnSetTensorNdDescriptor(state, type_of(inputs_[0].dtype()), 3, dims, strides));
  }
  /// A gate's part of a weight, in the space.
  static Tensor part(const Tensor& space, const Tensor& weight, int gates, const char* address) {
    Shape shape = weight.shape();
    shape[0] /= gates;
    Layout layout = Layout::contiguous(shape);
    layout.offset =
        (address - static_cast<const char*>(space.raw_data())) / static_cast<std::int64_t>(weight.itemsize());
    return Tensor(new TensorImpl(space.impl()->storage, layout, weight.dtype()));
  }

  const RecurrentNetwork& network_;
  Inputs inputs_;
  Sizes sizes_;
};

/// Remembers what cuDNN has said about networks. It is never freed.
struct Answers {
  std::mutex mutex;
  Recent<GraphKey, Spaces> spaces{1024};  ///< no weights: refused
};
Answers& answers() {
  static auto* const all = new Answers;
  return *all;
}

GraphKey key_of(const RecurrentNetwork& network, Inputs inputs) {
  const Sizes s(network, inputs);
  const DType dtype = inputs[0].dtype();
  GraphKey key{inputs[0].device().index,
               static_cast<std::int64_t>(network.kind),
               static_cast<std::int64_t>(dtype),
               math_of(dtype),
               s.steps,
               s.batch,
               s.in,
               s.hidden,
               s.projection,
               s.pseudo_layers,
               s.directions,
               network.is_biased};
  if (network.sizes) key.insert(key.end(), network.sizes->begin(), network.sizes->end());
  return key;
}

Spaces ask(const RecurrentNetwork& network, Inputs inputs, std::string& why) {
  if (!cuda::cudnn_library.is_there()) {
    why = cuda::cudnn_library.failure();
    return {};
  }
  try {
    return Described(network, inputs).ask();
  } catch (const Refused& refused) {
    why = refused.why;
  } catch (const Error& error) {
    cuda::throw_if_broken();
    why = error.what();
  }
  return {};
}

void remember(const RecurrentNetwork& network, Inputs inputs, const Spaces& spaces, const std::string& why) {
  count_graph(spaces.weights > 0, str("recurrent network of ", inputs[0], " and state ", inputs[1], ": ", why));
  const std::lock_guard lock(answers().mutex);
  answers().spaces.put(key_of(network, inputs), spaces);
}

Spaces spaces_of(const RecurrentNetwork& network, Inputs inputs) {
  {
    const std::lock_guard lock(answers().mutex);
    if (const Spaces* const known = answers().spaces.find(key_of(network, inputs))) return *known;
  }
  const DeviceGuard guard(inputs[0].device());
  std::string why;
  const Spaces spaces = ask(network, inputs, why);
  remember(network, inputs, spaces, why);
  return spaces;
}

/// Calls f, which cuDNN may refuse after all.
template <class F>
auto try_cudnn(const RecurrentNetwork& network, Inputs inputs, const F& f) {
  const DeviceGuard guard(inputs[0].device());
  try {
    return f();
  } catch (const Refused& refused) {
    remember(network, inputs, {}, refused.why);
    throw RecurrentRefusal();
  }
}

Tensor bytes(std::size_t count, Device device) {
  const PurposeGuard purpose(Purpose::temporaries);
  return empty({static_cast<std::int64_t>(std::max<std::size_t>(count, 1))}, {.dtype = DType::uint8, .device = device});
}

Tensor dense(const Tensor& x) { return x.is_contiguous() ? x : copy_with_layout(x, Layout::contiguous(x.shape())); }
Tensor dense_or_zeros(const Tensor& gradient, const Tensor& like) {
  return gradient.defined() ? dense(gradient) : zeros(like.shape(), {.dtype = like.dtype(), .device = like.device()});
}
void* address_of(const Tensor& x) { return x.defined() ? x.raw_data() : nullptr; }
Tensor rows_of_weight(const Tensor& weight, std::int64_t first, std::int64_t count) {
  return Tensor(
      new TensorImpl(weight.impl()->storage, weight.layout().sliced(0, first, first + count, 1), weight.dtype()));
}

Tensor pack(const Described& call, Inputs inputs, std::size_t size) {
  const Tensor space = bytes(size, inputs[0].device());
  call.each_weight(space, [&](std::size_t i, std::int64_t row, const Tensor& part) {
    copy_kernel_cuda(rows_of_weight(inputs[i], row, part.size(0)), part);
  });
  return space;
}

}  // namespace

bool is_for_cudnn(const RecurrentNetwork& network, Inputs inputs) {
  const Sizes s(network, inputs);
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  // A single step is two products and a kernel, less than packing the weights.
  if (s.steps < 2 || s.batch == 0 || s.in == 0 || s.hidden == 0 || s.projection == 0) return false;
  if (s.steps > most || s.in > most || s.pseudo_layers * s.batch > most / std::max(s.hidden, s.projection))
    return false;
  return spaces_of(network, inputs).weights > 0;
}

std::size_t reserve_bytes(const RecurrentNetwork& network, Inputs inputs) { return spaces_of(network, inputs).reserve; }

void run_network_by_cudnn(const RecurrentNetwork& network, Inputs inputs, const Tensor& y, const Tensor& h,
                          const Tensor& c, const Tensor& reserve) {
  const Spaces spaces = spaces_of(network, inputs);
  try_cudnn(network, inputs, [&] {
    const Described call(network, inputs);
    const bool is_lstm = network.kind == RecurrentKind::lstm, is_training = reserve.defined();
    const Tensor x = dense(inputs[0]), h0 = dense(inputs[1]), c0 = is_lstm ? dense(inputs[2]) : Tensor();
    const std::size_t work = is_training ? spaces.workspace : spaces.inference_workspace;
    const Tensor weights = pack(call, inputs, spaces.weights), workspace = bytes(work, x.device());
    MINIMA_EXPECT(cudnnRNNForward(call.handle, call.rnn,
                                  is_training ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE, nullptr,
                                  call.x_data, x.raw_data(), call.y_data, y.raw_data(), call.h_state, h0.raw_data(),
                                  h.raw_data(), is_lstm ? call.c_state : cudnnTensorDescriptor_t(nullptr),
                                  address_of(c0), is_lstm ? c.raw_data() : nullptr, spaces.weights, weights.raw_data(),
                                  work, workspace.raw_data(), is_training ? spaces.reserve : 0, address_of(reserve)));
  });
}

std::vector<Tensor> network_gradient_by_cudnn(const RecurrentNetwork& network, Inputs inputs, const Tensor& y,
                                              std::array<Tensor, 3> of_outputs, const Tensor& reserve,
                                              const Needs& needs) {
  const Spaces spaces = spaces_of(network, inputs);
  if (spaces.weights == 0) throw RecurrentRefusal();
  return try_cudnn(network, inputs, [&] {
    const Described call(network, inputs);
    const bool is_lstm = network.kind == RecurrentKind::lstm;
    const auto c_state = is_lstm ? call.c_state : cudnnTensorDescriptor_t(nullptr);
    const Tensor x = dense(inputs[0]), h0 = dense(inputs[1]), c0 = is_lstm ? dense(inputs[2]) : Tensor();
    const Tensor of_y = dense_or_zeros(of_outputs[0], y), of_h = dense_or_zeros(of_outputs[1], h0),
                 of_c = is_lstm ? dense_or_zeros(of_outputs[2], c0) : Tensor();
    std::vector<Tensor> gradients(inputs.size());
    gradients[0] = empty_like(x);
    gradients[1] = empty_like(h0);
    if (is_lstm) gradients[2] = empty_like(c0);
    const Tensor workspace = bytes(spaces.workspace, x.device());
    // cuDNN writes into the reserve space, which another backward pass of the same graph reads again.
    const Tensor kept = copy_with_layout(reserve, reserve.layout());
    {
      const Tensor weights = pack(call, inputs, spaces.weights);
      MINIMA_EXPECT(cudnnRNNBackwardData_v8(
          call.handle, call.rnn, nullptr, call.y_data, y.raw_data(), of_y.raw_data(), call.x_data,
          gradients[0].raw_data(), call.h_state, h0.raw_data(), of_h.raw_data(), gradients[1].raw_data(), c_state,
          address_of(c0), address_of(of_c), is_lstm ? gradients[2].raw_data() : nullptr, spaces.weights,
          weights.raw_data(), spaces.workspace, workspace.raw_data(), spaces.reserve, kept.raw_data()));
    }
    const std::size_t first = 1 + network.states();
    for (std::size_t i = first; i < inputs.size(); ++i)
      if (needs[static_cast<int>(i)]) gradients[i] = empty_like(inputs[i]);
    if (std::none_of(&gradients[first], gradients.data() + gradients.size(), std::mem_fn(&Tensor::defined)))
      return gradients;
    // cuDNN adds to it.
    const Tensor space =
        zeros({static_cast<std::int64_t>(spaces.weights)}, {.dtype = DType::uint8, .device = x.device()});
    MINIMA_EXPECT(cudnnRNNBackwardWeights_v8(call.handle, call.rnn, CUDNN_WGRAD_MODE_ADD, nullptr, call.x_data,
                                             x.raw_data(), call.h_state, h0.raw_data(), call.y_data, y.raw_data(),
                                             spaces.weights, space.raw_data(), spaces.workspace, workspace.raw_data(),
                                             spaces.reserve, kept.raw_data()));
    call.each_weight(space, [&](std::size_t i, std::int64_t row, const Tensor& part) {
      if (gradients[i].defined()) copy_kernel_cuda(part, rows_of_weight(gradients[i], row, part.size(0)));
    });
    return gradients;
  });
}

}  // namespace minima::detail
