#include "simulated/libraries/cudnn/rnn.h"

#include "simulated/libraries/cublas_lt/element.h"
#include "simulated/libraries/cudnn/call.h"
#include "simulated/machine/machine.h"
#include "simulated/machine/report.h"
#include "simulated/machine/schedule.h"

#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

// The calls of recurrent networks. The reserve space is a number that says which call wrote it last, then what
// rnn_arithmetic.cpp keeps.

using namespace simulated;

namespace {

constexpr auto success = CUDNN_STATUS_SUCCESS;
constexpr double of_forward = 1, of_backward = 2;

cudaDataType cuda_type(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_DOUBLE: return CUDA_R_64F;
    case CUDNN_DATA_HALF: return CUDA_R_16F;
    case CUDNN_DATA_BFLOAT16: return CUDA_R_16BF;
    default: return CUDA_R_32F;
  }
}
std::size_t bytes_of(cudnnDataType_t type) { return type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_FLOAT ? 4 : 2; }

/// An argument in the GPU's memory; a null address is zeros, or a result that is not wanted.
struct Array {
  void* address;
  std::int64_t count;
  cudnnDataType_t type;

  std::size_t bytes() const { return static_cast<std::size_t>(count) * bytes_of(type); }
  Numbers read() const {
    Numbers numbers(static_cast<std::size_t>(count), 0.0);
    if (address)
      visit_type(cuda_type(type), [&]<class T>(T) {
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = to_double(static_cast<const T*>(address)[i]);
      });
    return numbers;
  }
  void write(const Numbers& numbers) const {
    if (!address) return;
    visit_type(cuda_type(type), [&]<class T>(T) {
      for (std::size_t i = 0; i < numbers.size(); ++i) static_cast<T*>(address)[i] = to_element<T>(numbers[i]);
    });
  }
};

/// The part that the three calls have in common.
class RnnCall {
 public:
  RnnCall(std::string function, cudnnHandle_t handle, cudnnRNNDescriptor_t network, cudnnRNNDataDescriptor_t x,
          cudnnRNNDataDescriptor_t y)
      : function_(std::move(function)), handle_(handle), problem_{*network, *x} {
    const cudnnRNNStruct& n = problem_.network;
    const bool is_padded = x->layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
    expect(n.layers > 0 && !x->lengths.empty(), "a descriptor is not set");
    expect(x->width == n.in && x->type == n.type, "x does not fit the network");
    expect(!is_padded || (n.flags & CUDNN_RNN_PADDED_IO_ENABLED), "unpacked sequences need padded IO");
    if (y)
      expect(y->width == n.directions * n.projection && y->type == n.type && y->layout == x->layout &&
                 y->lengths == x->lengths,
             "y does not fit x and the network");
  }

  const RnnProblem& problem() const { return problem_; }
  void expect(bool fits, const char* words) {
    if (!fits && words_.empty()) words_ = words;
  }

  std::size_t work_bytes() const {
    return static_cast<std::size_t>(problem_.data.rows() * problem_.network.gates() * problem_.network.hidden) * 4;
  }
  std::size_t reserve_bytes() const { return 8 * (1 + problem_.reserve_numbers()); }

  Array vectors(const void* address, std::int64_t width) {
    expect(address != nullptr, "x, y or a gradient of theirs is null");
    return array(address, problem_.data.rows() * width);
  }
  Array x(const void* address) { return vectors(address, problem_.network.in); }
  Array y(const void* address) { return vectors(address, problem_.network.directions * problem_.network.projection); }
  Array h(cudnnTensorDescriptor_t described, const void* address) {
    return state(described, address, problem_.network.projection);
  }
  /// Only lstm has one.
  Array c(cudnnTensorDescriptor_t described, const void* address) {
    if (problem_.network.mode == CUDNN_LSTM) return state(described, address, problem_.network.hidden);
    return {nullptr, problem_.network.pseudo_layers() * problem_.data.batch() * problem_.network.hidden,
            problem_.network.type};
  }
  Array weights(std::size_t bytes, const void* address) {
    const Array result = array(address, problem_.network.weights());
    expect(address && bytes == result.bytes(), "the weight space has another size");
    return result;
  }
  void spaces(std::size_t bytes, void* workspace, std::size_t reserve_size, void* reserve, bool is_training) {
    expect(workspace && bytes >= work_bytes(), "the workspace is too small");
    workspace_ = {workspace, work_bytes()};
    used_.push_back({static_cast<const char*>(workspace), work_bytes()});
    if (!is_training) return;
    expect(reserve && reserve_size >= reserve_bytes(), "the reserve space is too small");
    reserve_ = static_cast<double*>(reserve);
    used_.push_back({static_cast<const char*>(reserve), reserve_bytes()});
  }

  /// Submits compute(reserve), of `passes` times the arithmetic of the forward pass. `stage` is what the reserve space
  /// must hold before.
  template <class Compute>
  cudnnStatus_t submit(double stage, double new_stage, Compute compute) {
    if (!words_.empty()) return cudnn_failure(CUDNN_STATUS_BAD_PARAM, function_ + ": " + words_);
    Work work{.accesses = used_};
    work.cost.kind = WorkKind::product;
    work.cost.arithmetic = bytes_of(problem_.network.type) == 2         ? Arithmetic::half
                           : problem_.network.type == CUDNN_DATA_DOUBLE ? Arithmetic::float64
                           : problem_.network.math == CUDNN_FMA_MATH    ? Arithmetic::float32
                                                                        : Arithmetic::tf32;
    work.cost.flops = problem_.flops();
    for (const Access& access : used_) work.cost.bytes_read += static_cast<double>(access.bytes);
    Machine& machine = simulated::machine();
    work.run = [&machine, device = handle_->device, used = used_, name = function_, workspace = workspace_,
                reserve = reserve_, count = problem_.reserve_numbers(), stage, new_stage, compute] {
      for (const Access& access : used)
        if (access.address && !machine.memory.is_accessible(device, access.address, access.bytes))
          throw DeviceFault{cudaErrorIllegalAddress};
      std::memset(workspace.first, 0xff, workspace.second);
      Numbers kept(count);
      if (stage > 0) {
        if (reserve[0] != stage) report(name + ": the reserve space is not as the call before must leave it");
        kept.assign(reserve + 1, reserve + 1 + count);
      }
      compute(kept);
      if (!reserve || new_stage == 0) return;
      reserve[0] = new_stage;
      std::memcpy(reserve + 1, kept.data(), 8 * count);
    };
    return submit_cudnn(function_, handle_, function_ + "'s work", std::move(work));
  }

 private:
  Array array(const void* address, std::int64_t count) {
    const Array result{const_cast<void*>(address), count, problem_.network.type};
    if (address) used_.push_back({static_cast<const char*>(address), result.bytes()});
    return result;
  }
  Array state(cudnnTensorDescriptor_t described, const void* address, std::int64_t width) {
    const std::vector<int> dims{static_cast<int>(problem_.network.pseudo_layers()),
                                static_cast<int>(problem_.data.batch()), static_cast<int>(width)};
    expect(described && described->dims == dims && described->type == problem_.network.type,
           "hDesc or cDesc does not fit the network");
    return array(address, problem_.network.pseudo_layers() * problem_.data.batch() * width);
  }

  std::string function_;
  cudnnHandle_t handle_;
  RnnProblem problem_;
  std::string words_;
  std::vector<Access> used_;
  std::pair<void*, std::size_t> workspace_{};
  double* reserve_ = nullptr;
};

bool are_given(const void* handle, const void* network, const void* x) { return handle && network && x; }
cudnnStatus_t missing() { return cudnn_failure(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "handle or descriptor"); }

}  // namespace

extern "C" {

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t x, std::size_t* workspace, std::size_t* reserve) {
  if (!are_given(handle, descriptor, x)) return missing();
  return cudnn_call("cudnnGetRNNTempSpaceSizes", Reach::context, [&](const Call&) {
    const RnnCall call("cudnnGetRNNTempSpaceSizes", handle, descriptor, x, nullptr);
    if (workspace) *workspace = call.work_bytes();
    if (reserve) *reserve = mode == CUDNN_FWD_MODE_TRAINING ? call.reserve_bytes() : 0;
    return success;
  });
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, std::size_t* bytes) {
  if (!are_given(handle, descriptor, bytes)) return missing();
  return cudnn_call("cudnnGetRNNWeightSpaceSize", Reach::context, [&](const Call&) {
    if (descriptor->layers == 0) return cudnn_failure(CUDNN_STATUS_BAD_PARAM, "rnnDesc is not set");
    *bytes = static_cast<std::size_t>(descriptor->weights()) * bytes_of(descriptor->type);
    return success;
  });
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, std::int32_t pseudo_layer,
                                      std::size_t bytes, const void* space, std::int32_t id,
                                      cudnnTensorDescriptor_t matrix, void** matrix_address,
                                      cudnnTensorDescriptor_t bias, void** bias_address) {
  if (!are_given(handle, descriptor, space)) return missing();
  return cudnn_call("cudnnGetRNNWeightParams", Reach::context, [&](const Call&) {
    const cudnnRNNStruct& n = *descriptor;
    const std::int64_t gates = n.gates(), ids = 2 * gates + (n.is_projected() ? 1 : 0);
    const std::size_t element = bytes_of(n.type);
    if (pseudo_layer < 0 || pseudo_layer >= n.pseudo_layers() || id < 0 || id >= ids ||
        bytes != static_cast<std::size_t>(n.weights()) * element)
      return cudnn_failure(CUDNN_STATUS_BAD_PARAM, "cudnnGetRNNWeightParams: layer, id or size");
    const auto at = [&](std::int64_t place) {
      return const_cast<char*>(static_cast<const char*>(space)) + static_cast<std::size_t>(place) * element;
    };
    const auto size = [](std::int64_t count) { return static_cast<int>(count); };
    const bool is_projection = id == 2 * gates;
    const int rows = size(is_projection ? n.projection : n.hidden);
    const int columns = size(is_projection ? n.hidden : id < gates ? n.inputs(pseudo_layer) : n.projection);
    if (matrix) *matrix = {n.type, {1, rows, columns}, {rows * columns, columns, 1}};
    if (matrix_address) *matrix_address = at(n.matrix(pseudo_layer, id));
    const bool has_bias = n.biased && !is_projection;
    if (bias && has_bias) *bias = {n.type, {1, rows, 1}, {rows, 1, 1}};
    if (bias_address) *bias_address = has_bias ? at(n.bias(pseudo_layer, id)) : nullptr;
    return success;
  });
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnForwardMode_t mode,
                              const std::int32_t*, cudnnRNNDataDescriptor_t x_data, const void* x,
                              cudnnRNNDataDescriptor_t y_data, void* y, cudnnTensorDescriptor_t h, const void* hx,
                              void* hy, cudnnTensorDescriptor_t c, const void* cx, void* cy, std::size_t weight_bytes,
                              const void* weights, std::size_t work_bytes, void* workspace, std::size_t reserve_bytes,
                              void* reserve) {
  if (!are_given(handle, descriptor, x_data) || !y_data) return missing();
  RnnCall call("cudnnRNNForward", handle, descriptor, x_data, y_data);
  const bool is_training = mode == CUDNN_FWD_MODE_TRAINING;
  call.spaces(work_bytes, workspace, reserve_bytes, reserve, is_training);
  return call.submit(0, is_training ? of_forward : 0,
                     [p = call.problem(), x = call.x(x), y = call.y(y), hx = call.h(h, hx), hy = call.h(h, hy),
                      cx = call.c(c, cx), cy = call.c(c, cy), w = call.weights(weight_bytes, weights)](Numbers& kept) {
                       RnnStates states{hx.read(), cx.read()};
                       y.write(rnn_forward(p, x.read(), w.read(), states, kept));
                       hy.write(states.h);
                       cy.write(states.c);
                     });
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, const std::int32_t*,
                                      cudnnRNNDataDescriptor_t y_data, const void* y, const void* dy,
                                      cudnnRNNDataDescriptor_t x_data, void* dx, cudnnTensorDescriptor_t h,
                                      const void* hx, const void* dhy, void* dhx, cudnnTensorDescriptor_t c,
                                      const void* cx, const void* dcy, void* dcx, std::size_t weight_bytes,
                                      const void* weights, std::size_t work_bytes, void* workspace,
                                      std::size_t reserve_bytes, void* reserve) {
  if (!are_given(handle, descriptor, x_data) || !y_data) return missing();
  RnnCall call("cudnnRNNBackwardData_v8", handle, descriptor, x_data, y_data);
  call.spaces(work_bytes, workspace, reserve_bytes, reserve, true);
  call.y(y);  // read by cuDNN; here the reserve space has the same values
  return call.submit(of_forward, of_backward,
                     [p = call.problem(), dy = call.y(dy), dx = call.x(dx), hx = call.h(h, hx), dhy = call.h(h, dhy),
                      dhx = call.h(h, dhx), cx = call.c(c, cx), dcy = call.c(c, dcy), dcx = call.c(c, dcx),
                      w = call.weights(weight_bytes, weights)](Numbers& kept) {
                       RnnStates gradients{dhy.read(), dcy.read()};
                       dx.write(rnn_backward_data(p, dy.read(), w.read(), {hx.read(), cx.read()}, gradients, kept));
                       dhx.write(gradients.h);
                       dcx.write(gradients.c);
                     });
}

/// "Currently supports CUDNN_WGRAD_MODE_ADD only."
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnWgradMode_t mode,
                                         const std::int32_t*, cudnnRNNDataDescriptor_t x_data, const void* x,
                                         cudnnTensorDescriptor_t h, const void* hx, cudnnRNNDataDescriptor_t y_data,
                                         const void* y, std::size_t weight_bytes, void* dweights,
                                         std::size_t work_bytes, void* workspace, std::size_t reserve_bytes,
                                         void* reserve) {
  if (!are_given(handle, descriptor, x_data) || !y_data) return missing();
  if (mode != CUDNN_WGRAD_MODE_ADD)
    return cudnn_failure(CUDNN_STATUS_NOT_SUPPORTED, "cudnnRNNBackwardWeights_v8: addGrad");
  RnnCall call("cudnnRNNBackwardWeights_v8", handle, descriptor, x_data, y_data);
  call.spaces(work_bytes, workspace, reserve_bytes, reserve, true);
  call.y(y);
  return call.submit(
      of_backward, 0,
      [p = call.problem(), x = call.x(x), hx = call.h(h, hx),
       dw = call.weights(weight_bytes, dweights)](Numbers& kept) {
        const Numbers cells(static_cast<std::size_t>(p.network.pseudo_layers() * p.data.batch() * p.network.hidden));
        const Numbers sums = rnn_backward_weights(p, x.read(), {hx.read(), cells}, kept);
        Numbers total = dw.read();
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += sums[i];
        dw.write(total);
      });
}

}  // extern "C"
