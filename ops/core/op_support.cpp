#include <minima/ops/core/op_support.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/tensor_impl.h>

#include <cstddef>
#include <utility>

namespace minima::detail {

bool check_inputs(const Traits& traits, const Tensor* const* inputs, std::size_t count) {
  const Tensor* first = nullptr;
  bool wants_gradient = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor& input = *inputs[i];
    if (!input.defined()) {
      if (traits.optional >> i & 1u) continue;
      throw ValueError(str(traits.name, ": argument ", i, " is undefined"));
    }
    wants_gradient = wants_gradient || input.requires_grad();
    if (!first) first = &input;
    else if (input.device() != first->device())
      throw DeviceError(str(traits.name, ": arguments are on different devices: ", *first, " on ", first->device(),
                            " and ", input, " on ", input.device(), "; move one with to()"));
  }
  if (!first) throw ValueError(str(traits.name, ": needs at least one tensor"));
  return wants_gradient && mode().grad;
}

void check_defined(const char* op, const Tensor& x, int argument) {
  if (!x.defined()) throw ValueError(str(op, ": argument ", argument, " is undefined"));
}

void refuse_device(const char* op, const Tensor& x, bool has_cuda_kernel) {
  if (has_cuda_kernel)
    throw DeviceError(str(op, ": this build of minima has no CUDA support, and ", x, " is on ", x.device()));
  throw DeviceError(str(op, ": no CUDA kernel for ", x, "; move it to the CPU with to(Device::cpu())"));
}

Tensor allocate(TensorSpec&& spec, const char* op) {
  const std::size_t bytes = bytes_for(spec.layout, spec.dtype, op);
  StoragePtr storage;
  try {
    storage = StoragePtr(allocator_of(spec.device).allocate(bytes));
  } catch (OutOfMemoryError& error) {
    error.add_note(str("for ", op, ", whose result is ", spec.dtype, " ", spec.shape()));
    throw;
  }
  auto* impl = new TensorImpl(std::move(storage), std::move(spec.layout), spec.dtype);
  impl->inference = mode().inference;
  return Tensor(impl);
}

Tensor allocate_like(const Tensor& x, DType dtype) {
  const auto bytes = static_cast<std::size_t>(x.numel()) * size_of(dtype);
  auto* impl = new TensorImpl(StoragePtr(allocator_of(x.device()).allocate(bytes)), x.layout(), dtype);
  impl->layout.offset = 0;
  impl->inference = mode().inference;
  return Tensor(impl);
}

Tensor make_view(const Tensor& x, Layout layout) {
  TensorImpl& source = *x.impl();
  auto* impl = new TensorImpl(source.storage, std::move(layout), source.dtype);
  impl->inference = source.inference;
  impl->base = source.base ? source.base : &source;
  impl->base->retain();
  impl->base_rebases = impl->base->rebases;
  impl->unrecorded_view = source.unrecorded_view || !mode().grad;
  Tensor result(impl);
  if (Observer* const listener = observer()) [[unlikely]]
    listener->view(x, result);
  return result;
}

void check_in_place(const char* op, const Tensor& x, const TensorSpec& result) {
  if (result.shape() != x.shape())
    throw ShapeError(str(op, ": the result has shape ", result.shape(), ", but the tensor changed in place is ", x));
  if ((is_floating(result.dtype) && !is_differentiable(x.dtype())) ||
      (is_complex(result.dtype) && !is_complex(x.dtype())))
    throw DTypeError(str(op, ": a ", result.dtype, " result cannot be stored in place in ", x,
                         "; use the out-of-place ", "operator or convert the tensor first"));
  if (result.dtype != DType::boolean && x.dtype() == DType::boolean)
    throw DTypeError(str(op, ": a ", result.dtype, " result cannot be stored in place in ", x));
  if (x.layout().may_overlap())
    throw ValueError(str(op, ": several elements of ", x, " share memory (it was expanded?); clone it first"));
  if (x.impl()->inference && !mode().inference && mode().grad && x.requires_grad())
    throw AutogradError(str(op, ": the tensor was made in inference mode; clone it outside inference mode first"));
}

void check_in_place_recording(const char* op, const Tensor& x) {
  const TensorImpl& impl = *x.impl();
  if (impl.inference)
    throw AutogradError(
        str(op, ": a tensor made in inference mode cannot be changed in place with gradients on; ", "clone it first"));
  const auto is_wanted_leaf = [](const TensorImpl& t) {
    return t.history && t.history->is_leaf() && t.history->requires_grad();
  };
  if (is_wanted_leaf(impl))
    throw AutogradError(str(op, ": a leaf that requires grad cannot be changed in place while gradients are recorded: ",
                            x, "; wrap the change in NoGrad, or work on a clone"));
  if (!impl.base) return;
  if (is_wanted_leaf(*impl.base))
    throw AutogradError(str(op, ": a view of a leaf that requires grad cannot be changed in place while gradients are ",
                            "recorded: ", x, "; wrap the change in NoGrad, or work on a clone"));
  if (impl.unrecorded_view)
    throw AutogradError(str(op, ": the view ", x, " was made under NoGrad, so a change of it cannot be recorded; make ",
                            "the view outside, or change it under NoGrad too"));
}

Tensor without_partial_overlap(const Tensor& x, const Tensor& other) {
  if (!other.defined() || other.impl()->storage.get() != x.impl()->storage.get()) return other;
  if (other.layout() == x.layout() && other.dtype() == x.dtype()) return other;
  return clone_values(other);
}

bool is_unshared(const Tensor& x) {
  const TensorImpl& impl = *x.impl();
  return impl.references.is_one() && impl.storage->unique();
}

Tensor clone_values(const Tensor& x) {
  Tensor result = allocate(spec_like(x), "clone");
  copy_values(x, result);
  return result;
}

void copy_values(const Tensor& from, const Tensor& to) {
  if constexpr (has_cuda_kernels)
    if (on_cuda(to)) {
      const DeviceGuard guard(to.device());
      return copy_kernel_cuda(from, to);
    }
  copy_kernel_cpu(from, to);
}

}  // namespace minima::detail
