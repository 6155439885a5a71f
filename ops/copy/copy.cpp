#include <minima/ops/copy/copy.h>

#include <minima/autograd/primitives.h>
#include <minima/ops/copy/casts.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/transfer.h>

#include <array>
#include <utility>

namespace minima {

namespace {

struct Copy {
  static constexpr Traits traits{.name = "copy", .keeps_values = true};
  TensorSpec spec;
  TensorSpec result(const Tensor&) const { return spec; }
  Cost cost(const Tensor& x) const {
    return {.bytes = static_cast<double>(x.numel()) * static_cast<double>(x.itemsize() + size_of(spec.dtype))};
  }
  void cpu(const Tensor& x, Tensor& y) const { detail::copy_kernel_cpu(x, y); }
  void cuda(const Tensor& x, Tensor& y) const { detail::copy_kernel_cuda(x, y); }
  // The engine converts the gradient back to x's dtype.
  Tensor gradient(Grad g) const { return g; }
};

struct CopyInto {
  static constexpr Traits traits{.name = "copy_"};
  TensorSpec result(const Tensor& target, const Tensor&) const { return describe(target); }
  Cost cost(const Tensor& target, const Tensor& source) const {
    return {.bytes = static_cast<double>(target.numel()) * static_cast<double>(target.itemsize()) +
                     static_cast<double>(source.numel()) * static_cast<double>(source.itemsize())};
  }
  void cpu(const Tensor&, const Tensor& source, Tensor& y) const { detail::copy_kernel_cpu(source, y); }
  void cuda(const Tensor&, const Tensor& source, Tensor& y) const { detail::copy_kernel_cuda(source, y); }
  // The old value has no influence; the engine sums over broadcast dimensions.
  Gradients<2> gradient(Grad g) const { return {Tensor(), g}; }
};

/// The same values on another device, densely packed.
struct Transfer {
  static constexpr Traits traits{.name = "to"};
  TensorSpec spec;
  TensorSpec result(const Tensor&) const { return spec; }
  Cost cost(const Tensor& x) const {
    return {.bytes = static_cast<double>(x.numel()) * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const { run(x, y); }
  void cuda(const Tensor& x, Tensor& y) const { run(x, y); }
  Tensor gradient(Grad g, Spec<0> x) const { return g.to(x.device); }

  static void run(const Tensor& x, Tensor& y) {
    if (x.layout().is_dense() && x.strides() == y.strides()) return detail::transfer(x, y);
    const Tensor dense = empty(y.layout(), {.dtype = x.dtype(), .device = x.device()});
    detail::copy_values(x, dense);
    detail::transfer(dense, y);
  }
};

/// Whether values can move straight into target's memory, without a copy on its device: nothing is converted,
/// rearranged or recorded.
bool moves_directly(const Tensor& source, const Tensor& target) {
  const bool is_recorded = detail::mode().grad && (source.requires_grad() || target.requires_grad());
  return source.device() != target.device() && !is_recorded && source.dtype() == target.dtype() &&
         source.shape() == target.shape() && source.strides() == target.strides() && source.layout().is_dense();
}

void check_keeps_parts(const char* op, const Tensor& x, DType dtype) {
  if (is_complex(x.dtype()) && !is_complex(dtype))
    throw DTypeError(
        str(op, ": ", x, " would lose its imaginary part as ", dtype, "; take real(x), imag(x) or abs(x)"));
}

Tensor copy_to(const Tensor& x, Layout layout, DType dtype) {
  return apply(Copy{{std::move(layout), dtype, x.device()}}, x);
}

}  // namespace

Tensor clone(const Tensor& x) {
  detail::check_defined("clone", x);
  return copy_to(x, Layout::dense_like(x.layout()), x.dtype());
}

Tensor contiguous(const Tensor& x) {
  detail::check_defined("contiguous", x);
  return x.is_contiguous() ? x : copy_to(x, Layout::contiguous(x.shape()), x.dtype());
}

Tensor channels_last(const Tensor& x) {
  detail::check_defined("channels_last", x);
  Layout wanted = Layout::channels_last(x.shape());
  return x.layout().is_channels_last() ? x : copy_to(x, std::move(wanted), x.dtype());
}

Tensor cast(const Tensor& x, DType dtype) {
  detail::check_defined("cast", x);
  check_keeps_parts("cast", x, dtype);
  return x.dtype() == dtype ? x : copy_to(x, Layout::dense_like(x.layout()), dtype);
}

Tensor copy_as(const Tensor& x, const Layout& layout) {
  detail::check_defined("copy_as", x);
  if (layout.shape != x.shape())
    throw ShapeError(str("copy_as: the layout has shape ", layout.shape, ", but x is ", x));
  return copy_to(x, layout, x.dtype());
}

const Tensor& copy_(const Tensor& target, const Tensor& source) {
  detail::check_defined("copy_", target);
  detail::check_defined("copy_", source, 1);
  check_keeps_parts("copy_", source, target.dtype());
  if (source.shape() != target.shape() && broadcast(target.shape(), source.shape(), "copy_") != target.shape())
    throw ShapeError(str("copy_: source ", source, " does not broadcast to the shape of target ", target));
  if (moves_directly(source, target)) {
    detail::check_in_place(CopyInto::traits.name, target, describe(target));
    const detail::Reported reported(CopyInto::traits.name, CopyInto{}.cost(target, source));
    detail::transfer(source, target);
    target.impl()->storage->bump_version();
    return target;
  }
  const Tensor there = source.device() == target.device() ? source : source.to(target.device());
  apply_in_place(CopyInto{}, target, there.shape() == target.shape() ? there : expand(there, target.shape()));
  return target;
}

namespace {

/// Rejects assignments to temporaries: `index(x, {mask}) = y` would write into a copy.
const Tensor& assigned_to(const Tensor& x) {
  const auto is_sole = [](const TensorImpl& impl) { return impl.references.is_one(); };
  const TensorImpl* impl = x.impl();
  const TensorImpl* base = impl ? impl->base : nullptr;  // of a view returned by an operator
  if (impl && is_sole(*impl) && (base ? is_sole(*base) && impl->storage->references() == 2u : impl->storage->unique()))
    throw ValueError(str("operator=: ", x,
                         " is a temporary that shares memory with no other tensor, so the values would be lost; write "
                         "with index_put_ or copy_"));
  return x;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-unhandled-self-assignment): copies elements, also onto themselves
const Tensor& Tensor::operator=(const Tensor& values) && { return copy_(assigned_to(*this), values), *this; }
const Tensor& Tensor::operator=(Scalar value) && { return fill_(assigned_to(*this), value), *this; }

Tensor Tensor::to(DType dtype) const { return cast(*this, dtype); }

Tensor Tensor::to(Device device) const {
  detail::check_defined("to", *this);
  if (device == this->device()) return *this;
  return apply(Transfer{{Layout::dense_like(layout()), dtype(), device}}, *this);
}

Tensor Tensor::to(Device device, DType dtype) const { return to(device).to(dtype); }

namespace detail {

Tensor cast_gradient(const Tensor& gradient, DType dtype) {
  return gradient.dtype() == dtype ? gradient : copy_to(gradient, Layout::dense_like(gradient.layout()), dtype);
}

Tensor recorded_cast(const Tensor& x, const Tensor& values) {
  const std::array<Tensor, 1> results{values};
  make_node(Copy{describe(values)}, InputRefs(x), false)->finish(results);
  return values;
}

Tensor room_for(const Layout& layout, DType dtype, Device device) {
  return empty(layout, {.dtype = dtype, .device = device});
}

Tensor copy_with_layout(const Tensor& source, const Layout& layout) {
  Tensor result = empty(layout, {.dtype = source.dtype(), .device = source.device()});
  copy_values(source, result);
  return result;
}

void copy_into(const Tensor& target, const Tensor& source) {
  copy_values(source, target);
  target.impl()->storage->bump_version();
}

}  // namespace detail

}  // namespace minima
