#pragma once

// IWYU pragma: begin_exports
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/scalar.h>
#include <minima/tensor/tensor_impl.h>
// IWYU pragma: end_exports

#include <concepts>
#include <initializer_list>
#include <optional>
#include <vector>

namespace minima {

namespace detail {
/// Throws ValueError: `member` was called on an undefined tensor.
[[noreturn, gnu::cold]] MINIMA_API void refuse_undefined(const char* member);
}  // namespace detail

/// An n-dimensional array: a reference-counted handle to a storage, a layout and a dtype. Copies share the data. A
/// default-constructed handle is undefined: as an argument it means "none", as a gradient "zero". It supports
/// `defined`, `is_same` and assignment; all other members throw ValueError.
///
/// Members cover metadata, data access, conversion and gradient state. Computations are free functions
/// (`matmul(a, b)`, `sum(x, {1})`) and operators. Concurrent use as const is safe.
class MINIMA_API Tensor {
 public:
  Tensor() : impl_(nullptr) {}
  Tensor(const Tensor& other) : impl_(other.impl_) {
    if (impl_) impl_->retain();
  }
  Tensor(Tensor&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  /// Rebinds the handle; the elements it referred to are left alone.
  Tensor& operator=(const Tensor& other) & {
    Tensor copy(other);
    std::swap(impl_, copy.impl_);
    return *this;
  }
  Tensor& operator=(Tensor&& other) & noexcept {
    if (this != &other) {
      TensorImpl* old = std::exchange(impl_, std::exchange(other.impl_, nullptr));
      if (old) old->release();
    }
    return *this;
  }
  /// `x[i] = y` writes elements like `copy_(x[i], y)`: y is broadcast and converted, and autograd records it. Throws
  /// ValueError if the left side is a temporary that shares no memory, as in `index(x, {mask}) = y`: the values would
  /// be lost, and `index_put_` is what you want.
  const Tensor& operator=(const Tensor& values) &&;
  const Tensor& operator=(Scalar value) &&;
  ~Tensor() {
    if (impl_) impl_->release();
  }
  /// Adopts one reference.
  explicit Tensor(TensorImpl* impl) : impl_(impl) {}

  bool defined() const { return impl_ != nullptr; }
  /// Whether the tensor's single element is nonzero: `if (loss < 1)`, `while (norm(x) > 1 && steps < 10)`. Waits for
  /// the device. Throws ShapeError unless there is exactly one element: reduce with `all` or `any`, and combine element
  /// by element with &, | and !.
  explicit operator bool() const;
  /// True if both handles refer to the same tensor.
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }

  // --- metadata ---
  const Shape& shape() const { return body("shape").layout.shape; }
  const Strides& strides() const { return body("strides").layout.strides; }
  const Layout& layout() const { return body("layout").layout; }
  int rank() const { return body("rank").layout.rank(); }
  /// The size of one dimension; negative ones count from the end.
  std::int64_t size(std::int64_t dim) const;
  std::int64_t numel() const { return body("numel").layout.numel(); }
  DType dtype() const { return body("dtype").dtype; }
  Device device() const { return body("device").storage->device(); }
  std::size_t itemsize() const { return size_of(body("itemsize").dtype); }
  bool is_contiguous() const { return body("is_contiguous").layout.is_contiguous(); }
  /// The number of in-place changes of the storage; views share it.
  std::uint32_t version() const { return body("version").storage->version(); }

  // --- data ---
  /// A pointer to the first element, on the tensor's device: a view's offset is included. The others follow
  /// `strides()`, row-major only if `is_contiguous()`: x[i][j] is data()[i * strides()[0] + j * strides()[1]].
  /// Transposed and sliced views are not, nor are the images that convolutions return on the CPU (channels_last) and
  /// what later layers make of them. For row-major memory keep `Tensor y = contiguous(x)` and use `y.data<T>()`, or
  /// copy by `to_vector`. Throws DTypeError if T is not the element type.
  template <class T>
  T* data() const {
    expect_dtype(dtype_of<T>);
    return static_cast<T*>(raw_data());
  }
  /// The same pointer without its type, and with the same order.
  void* raw_data() const {
    const TensorImpl& b = body("raw_data");
    return static_cast<char*>(b.storage->data()) + b.layout.offset * static_cast<std::int64_t>(size_of(b.dtype));
  }
  /// The single element, converted to T. Throws DTypeError if a complex one would become real. Waits for the device.
  /// `file` and `line` appear in error messages.
  template <class T = void>
  typename DTypeOf<T>::Type item(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const;
  /// All elements in row-major order, converted to T as item() does. Waits for the device.
  template <class T = void>
  std::vector<typename DTypeOf<T>::Type> to_vector(const char* file = __builtin_FILE(),
                                                   int line = __builtin_LINE()) const;

  // --- conversion (recorded by autograd; returns the tensor itself if nothing changes) ---
  Tensor to(DType dtype) const;
  Tensor to(Device device) const;
  Tensor to(Device device, DType dtype) const;

  // --- gradient state (defined in autograd/) ---
  bool requires_grad() const {
    const TensorImpl& b = body("requires_grad");
    return b.history ? b.history->requires_grad() : b.base && view_requires_grad();
  }
  /// Marks a leaf for differentiation. Floating and complex dtypes only.
  Tensor& requires_grad(bool wanted);
  /// True unless a recorded operator made this tensor.
  bool is_leaf() const { return body("is_leaf").history ? impl_->history->is_leaf() : !requires_grad(); }
  /// The gradient accumulated by backward passes; undefined if there is none, and after `zero_grad`.
  Tensor grad() const;
  /// Replaces the gradient; an undefined one clears it. Shape, dtype and device must match the tensor's.
  void set_grad(const Tensor& grad) const;
  /// Drops the gradient. On the CPU its memory is kept for the next one.
  void zero_grad() const;
  /// Makes backward store the gradient of a non-leaf tensor in `grad()`.
  void retain_grad() const;
  /// Runs backward from this tensor and accumulates into the `.grad` of the leaves it depends on. `gradient` is the
  /// gradient with respect to this tensor; it may be omitted if the tensor has one element.
  void backward(const Tensor& gradient = {}, bool retain_graph = false) const;
  /// The same data without history; shares storage and version.
  Tensor detach() const;
  /// Replaces data, layout and dtype by those of `source`. Handles, leaf state and optimizers keep referring to this
  /// tensor. Drops the gradient if it no longer fits.
  void set_data(const Tensor& source) const;

  // --- indexing (views; defined in ops/) ---
  /// Element `index` of the first dimension; `x[i] = y` and `x[i][j] += 1` write into x.
  Tensor operator[](std::int64_t index) const;

  // --- in place (defined in ops/) ---
  Tensor& operator+=(const Tensor& other);
  Tensor& operator-=(const Tensor& other);
  Tensor& operator*=(const Tensor& other);
  Tensor& operator/=(const Tensor& other);
  Tensor& operator+=(Scalar other);
  Tensor& operator-=(Scalar other);
  Tensor& operator*=(Scalar other);
  Tensor& operator/=(Scalar other);

  TensorImpl* impl() const { return impl_; }

 private:
  TensorImpl& body(const char* member) const {
    if (!impl_) [[unlikely]]
      detail::refuse_undefined(member);
    return *impl_;
  }
  void expect_dtype(DType dtype) const;
  bool view_requires_grad() const;

  TensorImpl* impl_;
};

struct InferredOptions;

/// The dtype and device of a new tensor: `zeros({2, 3}, {.dtype = float64})`. Aligned to four bytes so that it is
/// passed in one register and written by one store; three single-byte stores would stall the load that follows.
struct alignas(4) TensorOptions {
  DType dtype = DType::float32;
  Device device = Device::cpu();

  operator InferredOptions() const;
};

/// The same, with unset fields inferred from the other arguments: `zeros_like(x, {.dtype = int64})` stays on x's
/// device, `arange(3, {.device = gpu})` is int64.
struct InferredOptions {
  std::optional<DType> dtype{};
  std::optional<Device> device{};

  /// Fills unset fields from `inferred`.
  TensorOptions or_else(TensorOptions inferred) const {
    return {.dtype = dtype.value_or(inferred.dtype), .device = device.value_or(inferred.device)};
  }
};
inline TensorOptions::operator InferredOptions() const { return {.dtype = dtype, .device = device}; }

namespace detail {
/// Bytes from the start of a storage to the layout's last element. Throws for negative sizes and for sizes that no
/// memory can hold.
MINIMA_API std::size_t bytes_for(const Layout& layout, DType dtype);
MINIMA_API Tensor empty_as(Layout&& layout, TensorOptions options);
MINIMA_API Tensor borrow(void* data, const Layout& layout, TensorOptions options, void (*release)(void*),
                         void* context);
}  // namespace detail

/// An uninitialised row-major tensor.
MINIMA_API Tensor empty(const Shape& shape, TensorOptions options = {});
/// An uninitialised tensor with this layout; its offset must be 0. (A template, so that braces mean a shape.)
template <std::same_as<Layout> L>
Tensor empty(L layout, TensorOptions options = {}) {
  return detail::empty_as(std::move(layout), options);
}
/// Wraps memory owned by the caller, which must stay valid until minima calls `release(context)`, once no tensor uses
/// it.
template <std::same_as<Layout> L>
Tensor from_blob(void* data, const L& layout, TensorOptions options = {}, void (*release)(void*) = nullptr,
                 void* context = nullptr) {
  return detail::borrow(data, layout, options, release, context);
}
/// The same for row-major memory.
inline Tensor from_blob(void* data, const Shape& shape, TensorOptions options = {}, void (*release)(void*) = nullptr,
                        void* context = nullptr) {
  return detail::borrow(data, Layout::contiguous(shape), options, release, context);
}
/// Copies `count` values in row-major order. Throws ShapeError unless `count` is `numel(shape)`.
template <class T>
Tensor from_values(const T* values, std::int64_t count, const Shape& shape, Device device = Device::cpu());
/// A copy of a vector's values in row-major order.
template <class T>
Tensor from_vector(const std::vector<T>& values, const Shape& shape, Device device = Device::cpu()) {
  return from_values(values.data(), static_cast<std::int64_t>(values.size()), shape, device);
}
/// Nested braces of numbers, the argument of `tensor`. Valid for the duration of that call only.
class NestedValues {
 public:
  template <class T>
  requires(std::is_arithmetic_v<T> || std::same_as<T, Float16> || std::same_as<T, BFloat16>)
  NestedValues(T number) : number_(static_cast<std::conditional_t<std::is_arithmetic_v<T>, T, float>>(number)) {}
  NestedValues(std::initializer_list<NestedValues> list) : is_list_(true), list_(list) {}

  bool is_list() const { return is_list_; }
  std::initializer_list<NestedValues> list() const { return list_; }
  Scalar number() const { return number_; }

 private:
  bool is_list_ = false;
  Scalar number_ = 0;
  std::initializer_list<NestedValues> list_{};
};

/// A tensor from nested braces: `tensor({1, 2, 3})` is a vector, `tensor({{1, 2}, {3, 4}})` a matrix, `tensor(1.5)` has
/// rank 0. Unless the options name a dtype, it is bool for bools, float32 if any number is floating, else int64. Throws
/// ShapeError for lists of unequal sizes, ValueError for a number that the dtype cannot hold.
MINIMA_API Tensor tensor(const NestedValues& values, InferredOptions options = {});
/// The same with T's dtype: `tensor<double>({1, 2, 3})`.
template <class T>
Tensor tensor(const NestedValues& values) {
  return tensor(values, {.dtype = dtype_of<T>});
}
template <class T, std::same_as<std::initializer_list<T>> List>
Tensor tensor(const List& values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return from_values(values.begin(), count, count);
}
/// A tensor of rank 0.
MINIMA_API Tensor scalar_tensor(Scalar value, TensorOptions options = {});

}  // namespace minima
