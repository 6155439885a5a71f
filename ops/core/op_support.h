#pragma once

// IWYU pragma: begin_exports
#include <minima/autograd/mode.h>
#include <minima/autograd/node.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/core/operator_call.h>
#include <minima/ops/core/spec.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/scope.h>
#include <minima/tensor/device/observer.h>
// IWYU pragma: end_exports

#include <array>
#include <span>
#include <tuple>
#include <vector>

// The parts of `apply` that do not depend on the operator's type, and kernel dispatch.

namespace minima::detail {

/// Formulas pass Input<0> and the like to operators; as plain tensors they share one instantiation.
inline const Tensor& as_input(const Tensor& tensor) { return tensor; }
inline std::span<const Tensor> as_input(std::span<const Tensor> list) { return list; }
inline std::span<const Tensor> as_input(const std::vector<Tensor>& list) { return list; }

/// References to the inputs of a call; a span of tensors counts as that many inputs.
template <class... In>
class InputRefs {
 public:
  static constexpr int static_size = sizeof...(In);
  explicit InputRefs(const In&... inputs) : refs_{&inputs...} {}
  const Tensor* const* begin() const { return refs_.data(); }
  std::size_t size() const { return refs_.size(); }
  const Tensor& operator[](std::size_t i) const { return *refs_[i]; }

  /// The fast path of check_inputs: all are defined and on one device.
  bool all_on_one_device() const {
    if (!refs_[0]->defined()) return false;
    const Device device = refs_[0]->device();
    for (const Tensor* tensor : refs_)
      if (!tensor->defined() || tensor->device() != device) return false;
    return true;
  }
  bool requires_grad() const {
    for (const Tensor* tensor : refs_)
      if (tensor->requires_grad()) return true;
    return false;
  }

 private:
  std::array<const Tensor*, sizeof...(In)> refs_;
};

template <>
class InputRefs<std::span<const Tensor>> {
 public:
  static constexpr int static_size = -1;
  explicit InputRefs(std::span<const Tensor> inputs) {
    for (const Tensor& input : inputs) refs_.push_back(&input);
  }
  const Tensor* const* begin() const { return refs_.data(); }
  std::size_t size() const { return refs_.size(); }
  const Tensor& operator[](std::size_t i) const { return *refs_[i]; }
  bool all_on_one_device() const { return false; }  // lists take the slow path
  bool requires_grad() const { return false; }

 private:
  std::vector<const Tensor*> refs_;
};

/// Throws unless all inputs are on one device and defined, except optional ones. Returns whether to record the call:
/// gradients are on and some input requires grad.
MINIMA_API bool check_inputs(const Traits& traits, const Tensor* const* inputs, std::size_t count);
template <class... In>
bool check_inputs(const Traits& traits, const InputRefs<In...>& inputs) {
  if (inputs.all_on_one_device()) [[likely]]
    return mode().grad && inputs.requires_grad();
  return check_inputs(traits, inputs.begin(), inputs.size());
}
/// Whether x is the only user of its memory.
MINIMA_API bool is_unshared(const Tensor& x);
/// Whether a gradient may be overwritten element by element.
inline bool may_overwrite(const Tensor& gradient) { return is_unshared(gradient) && gradient.layout().is_dense(); }
/// Converts floating inputs by an operator's policy. Call only inside an autocast region.
MINIMA_API void autocast_inputs(Cast policy, Tensor* inputs, std::size_t count);
/// x converted by the policy, for functions that check dtypes before they call `apply`.
inline Tensor autocast(Cast policy, Tensor x) {
  if (mode().autocast) [[unlikely]]
    autocast_inputs(policy, &x, 1);
  return x;
}
/// Turns autocast off for its scope.
struct WithoutAutocast : Scoped<const AutocastState*> {
  WithoutAutocast() : Scoped(mode().autocast, nullptr) {}
};

/// For functions that inspect tensors before they call `apply`; x is argument number `argument` of op.
MINIMA_API void check_defined(const char* op, const Tensor& x, int argument = 0);
/// Allocates a result; errors name `op`.
MINIMA_API Tensor allocate(TensorSpec&& spec, const char* op = "gradient");
/// x's memory under another layout; it shares x's base, so in-place changes of either are tracked.
MINIMA_API Tensor make_view(const Tensor& x, Layout layout);

/// Throws unless the result fits into x and x's elements do not overlap.
MINIMA_API void check_in_place(const char* op, const Tensor& x, const TensorSpec& result);
/// Throws if x is a leaf that requires grad, a view of one, or a view that was not recorded.
MINIMA_API void check_in_place_recording(const char* op, const Tensor& x);
/// Makes `node` x's history; if x is a view, rebuilds the base's history around it.
MINIMA_API void rebase_history(const Tensor& x, Node& node);
/// `other`, or a copy if it shares x's storage but not exactly its layout.
MINIMA_API Tensor without_partial_overlap(const Tensor& x, const Tensor& other);
/// Unrecorded copies: clone_values into a new dense tensor; copy_values into an existing one, with conversion.
MINIMA_API Tensor clone_values(const Tensor& x);
MINIMA_API void copy_values(const Tensor& from, const Tensor& to);

inline bool shares_memory(const Tensor& a, const Tensor& b) {
  return a.defined() && b.defined() && a.impl()->storage.get() == b.impl()->storage.get();
}

template <std::size_t K, std::size_t M>
std::array<Tensor, K> take_first(std::array<Tensor, M>& all) {
  std::array<Tensor, K> first;
  for (std::size_t i = 0; i < K; ++i) first[i] = std::move(all[i]);
  return first;
}

template <class Op, class... In>
Cost cost_of(const Op& op, const In&... inputs) {
  if constexpr (requires { op.cost(inputs...); }) return op.cost(inputs...);
  else return {};
}

inline const Tensor& first_tensor(const Tensor& x) { return x; }
inline const Tensor& first_tensor(std::span<const Tensor> list) { return list.front(); }
inline const Tensor& first_tensor(const Tensor& x, const auto&...) { return x; }

[[noreturn]] MINIMA_API void refuse_device(const char* op, const Tensor& x, bool has_cuda_kernel);

/// Turns recording off for its scope, so that public operators called by a kernel stay out of the graph. Leaves the
/// rest of the mode alone, which is cheaper than NoGrad.
struct WithoutRecording : Scoped<bool> {
  WithoutRecording() : Scoped(mode().grad, false) {}
};

template <class Op, class Outputs, class... In>
void call_kernel(const Op& op, Outputs& outputs, const In&... inputs) {
  const Tensor& first = first_tensor(inputs...);
  const WithoutRecording guard;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    constexpr bool has_cuda_kernel = requires { op.cuda(inputs..., outputs[I]...); };
    if (!on_cuda(first)) [[likely]]
      return op.cpu(inputs..., outputs[I]...);
    if constexpr (has_cuda_kernels && has_cuda_kernel) {
      const DeviceGuard device(first.device());  // launches go to the thread's current GPU
      op.cuda(inputs..., outputs[I]...);
    } else {
      refuse_device(Op::traits.name, first, has_cuda_kernel);
    }
  }(std::make_index_sequence<std::tuple_size_v<Outputs>>());
}

/// A row-major tensor of x's shape; x must be row-major.
MINIMA_API Tensor allocate_like(const Tensor& x, DType dtype);

/// The fast path for small tensors that pointwise operators offer: allocation and kernel without spec or dispatch.
/// Returns false if the operator has none or it does not apply.
template <class Op, class Outputs, class... In>
bool run_small(const Op& op, Outputs& outputs, const In&... inputs) {
  if constexpr (requires { op.is_small(inputs...); }) {
    if (observer() || !op.is_small(inputs...)) return false;
    const Tensor& first = first_tensor(inputs...);
    outputs[0] = allocate_like(first, op.small_dtype(first));
    op.cpu_small(outputs[0], inputs...);
    return true;
  } else {
    return false;
  }
}

template <class Op, class Outputs, class... In>
void run_kernel(const Op& op, Outputs& outputs, const In&... inputs) {
  Observer* listener = observer();
  if (!listener) [[likely]]
    return call_kernel(op, outputs, inputs...);
  listener->begin(Op::traits.name, cost_of(op, inputs...));
  struct End {
    Observer* listener;
    ~End() { listener->end(); }
  } end{listener};
  const InputRefs refs(inputs...);
  listener->call({Op::traits.name, refs.begin(), refs.size(), outputs.data(),
                  static_cast<int>(outputs.size()) - Op::traits.hidden, &op, attributes_of<Op>()});
  call_kernel(op, outputs, inputs...);
}

/// Runs the kernel on copies of the inputs that it mutates: recomputing batch_norm must not update its running
/// statistics.
template <class Op, class Outputs, class... In>
void run_on_copies(const Op& op, Outputs& outputs, const In&... inputs) {
  std::array<Tensor, sizeof...(In)> given{inputs...};
  for (std::size_t i = 0; i < given.size(); ++i)
    if ((Op::traits.mutates >> i & 1u) && given[i].defined()) given[i] = clone_values(given[i]);
  std::apply([&](const auto&... values) { run_kernel(op, outputs, values...); }, given);
}

}  // namespace minima::detail
