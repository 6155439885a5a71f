#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/scalar.h>
#include <minima/tensor/tensor_impl.h>

#include <concepts>
#include <initializer_list>
#include <optional>
#include <vector>

namespace minima {

namespace detail {
/// Throws ValueError in the name of a member that was called on an undefined tensor.
[[noreturn, gnu::cold]] MINIMA_API void refuse_undefined(const char* member);
}  // namespace detail

/// An n-dimensional array: a counted handle to a storage, a layout and a dtype. Copying a handle aliases the tensor.
/// A default-constructed handle is undefined; as an argument it means "none", as a gradient "zero". Only `defined`,
/// `is_same` and assignment work on it: the other members throw ValueError.
///
/// Members are metadata, data access, conversion and gradient state; everything computed is a free function
/// (`matmul(a, b)`, `sum(x, {1})`) or an operator. Using a tensor as const from several threads is safe.
class MINIMA_API Tensor {
 public:
  Tensor() : impl_(nullptr) {}
  Tensor(const Tensor& other) : impl_(other.impl_) {
    if (impl_) impl_->retain();
  }
  Tensor(Tensor&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  /// A variable becomes another handle; the elements it had before are left alone.
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
  /// `x[i] = y` writes elements, as `copy_(x[i], y)` does: y is broadcast and converted, and autograd records it.
  /// Throws ValueError where nothing else shares the memory, so that the values would be lost: `index(x, {mask}) = y`,
  /// which `index_put_` can do.
  const Tensor& operator=(const Tensor& values) &&;
  const Tensor& operator=(Scalar value) &&;
  ~Tensor() {
    if (impl_) impl_->release();
  }
  /// Takes over one reference.
  explicit Tensor(TensorImpl* impl) : impl_(impl) {}

  bool defined() const { return impl_ != nullptr; }
  /// The truth of a tensor with one element: it is not 0. `if (loss < 1)`, `while (norm(x) > 1 && steps < 10)`. Waits
  /// for the device. Throws ShapeError for any other number of elements: `all` and `any` reduce to one, and &, | and !
  /// combine element by element.
  explicit operator bool() const;
  /// Both handles are of one tensor.
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }

  // --- metadata ---
  const Shape& shape() const { return body("shape").layout.shape; }
  const Strides& strides() const { return body("strides").layout.strides; }
  const Layout& layout() const { return body("layout").layout; }
  int rank() const { return body("rank").layout.rank(); }
  /// The size of one dimension, which may count from the end.
  std::int64_t size(std::int64_t dim) const;
  std::int64_t numel() const { return body("numel").layout.numel(); }
  DType dtype() const { return body("dtype").dtype; }
  Device device() const { return body("device").storage->device(); }
  std::size_t itemsize() const { return size_of(body("itemsize").dtype); }
  bool is_contiguous() const { return body("is_contiguous").layout.is_contiguous(); }
  /// Counts the in-place changes of the storage; views share it.
  std::uint32_t version() const { return body("version").storage->version(); }

  // --- data ---
  /// The first element, on the tensor's device. Throws DTypeError if T is not the element type.
  template <class T>
  T* data() const {
    expect_dtype(dtype_of<T>);
    return static_cast<T*>(raw_data());
  }
  void* raw_data() const {
    const TensorImpl& b = body("raw_data");
    return static_cast<char*>(b.storage->data()) + b.layout.offset * static_cast<std::int64_t>(size_of(b.dtype));
  }
  /// The value of a tensor with one element, converted to T. Waits for the device. The place of the call is for errors.
  template <class T = void>
  typename DTypeOf<T>::Type item(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const;
  /// All elements in row-major order, converted to T. Waits for the device.
  template <class T = void>
  std::vector<typename DTypeOf<T>::Type> to_vector(const char* file = __builtin_FILE(),
                                                   int line = __builtin_LINE()) const;

  // --- conversion (recorded by autograd; the tensor itself where nothing changes) ---
  Tensor to(DType dtype) const;
  Tensor to(Device device) const;
  Tensor to(Device device, DType dtype) const;

  // --- gradient state (defined in autograd/) ---
  bool requires_grad() const {
    const TensorImpl& b = body("requires_grad");
    return b.history ? b.history->requires_grad() : b.base && view_requires_grad();
  }
  /// Marks a leaf as something to differentiate by. Floating dtypes only.
  Tensor& requires_grad(bool wanted);
  /// True where no recorded operator made this tensor.
  bool is_leaf() const { return body("is_leaf").history ? impl_->history->is_leaf() : !requires_grad(); }
  /// The gradient that backward passes have summed up, undefined if there is none (or after `zero_grad`).
  Tensor grad() const;
  /// Replaces it; shape, dtype and device must be the tensor's. Undefined clears it.
  void set_grad(const Tensor& grad) const;
  /// Forgets the gradient but keeps its memory for the next one.
  void zero_grad() const;
  /// Makes `grad()` available on a tensor that is not a leaf.
  void retain_grad() const;
  /// Differentiates this tensor by all leaves it depends on and adds to their `.grad`. `gradient` is that of some
  /// scalar by this tensor and may be left out if this tensor has one element.
  void backward(const Tensor& gradient = {}, bool retain_graph = false) const;
  /// The same data without history. Shares storage and version.
  Tensor detach() const;
  /// Gives this tensor the data, layout and dtype of another while handles, leaf state and optimizers keep pointing
  /// here. The gradient is dropped if it no longer fits.
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

/// What to create; designated initialisers name what differs from the default: `zeros({2, 3}, {.dtype = float64})`.
/// Aligned so that it travels in one register, written at once: three bytes written apart would be waited for.
struct alignas(4) TensorOptions {
  DType dtype = DType::float32;
  Device device = Device::cpu();

  operator InferredOptions() const;
};

/// The same where the other arguments say what is left out: `zeros_like(x, {.dtype = int64})` stays on x's device,
/// `arange(3, {.device = gpu})` counts in int64.
struct InferredOptions {
  std::optional<DType> dtype{};
  std::optional<Device> device{};

  /// What is set, else what these say.
  TensorOptions or_else(TensorOptions inferred) const {
    return {.dtype = dtype.value_or(inferred.dtype), .device = device.value_or(inferred.device)};
  }
};
inline TensorOptions::operator InferredOptions() const { return {.dtype = dtype, .device = device}; }

namespace detail {
/// Bytes from a storage's beginning to the layout's last element. Throws for negative sizes and what no memory holds.
MINIMA_API std::size_t bytes_for(const Layout& layout, DType dtype);
MINIMA_API Tensor empty_as(Layout&& layout, TensorOptions options);
MINIMA_API Tensor borrow(void* data, const Layout& layout, TensorOptions options, void (*release)(void*),
                         void* context);
}  // namespace detail

/// Uninitialised memory, row-major.
MINIMA_API Tensor empty(const Shape& shape, TensorOptions options = {});
/// Uninitialised memory with this layout's shape and strides; the offset must be 0. (A template, so that braces are a
/// shape.)
template <std::same_as<Layout> L>
Tensor empty(L layout, TensorOptions options = {}) {
  return detail::empty_as(std::move(layout), options);
}
/// Wraps memory that the caller keeps alive until `release(context)` is called, which happens when no tensor uses it.
template <std::same_as<Layout> L>
Tensor from_blob(void* data, const L& layout, TensorOptions options = {}, void (*release)(void*) = nullptr,
                 void* context = nullptr) {
  return detail::borrow(data, layout, options, release, context);
}
/// The same, row-major.
inline Tensor from_blob(void* data, const Shape& shape, TensorOptions options = {}, void (*release)(void*) = nullptr,
                        void* context = nullptr) {
  return detail::borrow(data, Layout::contiguous(shape), options, release, context);
}
/// A copy of `numel(shape)` values in row-major order. Throws ShapeError if the count differs.
template <class T>
Tensor from_values(const T* values, std::int64_t count, const Shape& shape, Device device = Device::cpu());
template <class T>
Tensor from_vector(const std::vector<T>& values, const Shape& shape, Device device = Device::cpu()) {
  return from_values(values.data(), static_cast<std::int64_t>(values.size()), shape, device);
}
/// Numbers in nested braces, as `tensor` takes them. Lives as long as the call that it is an argument of.
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

/// The numbers of nested braces: `tensor({1, 2, 3})` is a vector, `tensor({{1, 2}, {3, 4}})` a matrix, `tensor(1.5)`
/// has rank 0. Unless the options name a dtype, whole numbers are int64, numbers of which any has a fraction float32,
/// truth values bool. Throws ShapeError for lists of unequal sizes, ValueError for a number that the dtype cannot hold.
MINIMA_API Tensor tensor(const NestedValues& values, InferredOptions options = {});
/// The same in the dtype of T: `tensor<double>({1, 2, 3})`.
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
