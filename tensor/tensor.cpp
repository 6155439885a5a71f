#include <minima/tensor/tensor.h>

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/host_copy.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/transfer.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace minima {

void TensorImpl::release_graph() noexcept {
  if (history) {
    if (history->is_leaf()) history->tensor_destroyed(this);
    history->release();
  }
  if (base) base->release();
}

void detail::refuse_undefined(const char* member) { throw ValueError(str(member, ": the tensor is undefined")); }

Tensor::operator bool() const {
  if (!defined()) throw ValueError("bool: the tensor is undefined; use defined() to test for that");
  if (numel() != 1)
    throw ShapeError(
        str("bool: ", *this, " has ", numel(),
            " elements, so it is neither true nor false; reduce it with all() or any(), combine masks with & | ! "
            "instead of && and ||, or use defined() to test for a tensor"));
  detail::refuse_captured(device(), "a tensor in a condition");
  return item<bool>();
}

std::int64_t Tensor::size(std::int64_t dim) const {
  const Shape& shape = body("size").layout.shape;
  const int wrapped = wrap_dim(dim, shape.rank(), "size");
  if (shape.rank() == 0) throw IndexError("size: a tensor of rank 0 has no dimensions");
  return shape[wrapped];
}

void Tensor::expect_dtype(DType wanted) const {
  if (body("data").dtype != wanted)
    throw DTypeError(str("data: the element type ", wanted, " does not match ", *this, "; convert it with to()"));
}

template <class T>
typename DTypeOf<T>::Type Tensor::item(const char* file, int line) const {
  if (body("item").layout.numel() != 1) throw ShapeError(str("item: needs a tensor with one element, got ", *this));
  detail::refuse_captured(device(), "item()", file, line);
  if (Observer* const listener = observer()) listener->read(*this);
  T value;
  detail::copy_to_host(*this, &value, 1);
  return value;
}

template <class T>
std::vector<typename DTypeOf<T>::Type> Tensor::to_vector(const char* file, int line) const {
  body("to_vector");
  detail::refuse_captured(device(), "to_vector()", file, line);
  if constexpr (std::is_same_v<T, bool>) {  // std::vector<bool> is not an array of bool
    const std::vector<std::uint8_t> bytes = to_vector<std::uint8_t>();
    return std::vector<bool>(bytes.begin(), bytes.end());
  } else {
    if (Observer* const listener = observer()) listener->read(*this);
    detail::expect_room(numel(), sizeof(T), "to_vector");
    std::vector<T> values(static_cast<std::size_t>(numel()));
    detail::copy_to_host(*this, values.data(), numel());
    return values;
  }
}

std::size_t detail::bytes_for(const Layout& layout, DType dtype) { return bytes_for(layout, dtype, "empty"); }

Tensor detail::empty_as(Layout&& layout, TensorOptions options) {
  const std::size_t bytes = detail::bytes_for(layout, options.dtype);
  StoragePtr storage(allocator_of(options.device).allocate(bytes));
  return Tensor(new TensorImpl(std::move(storage), std::move(layout), options.dtype));
}

Tensor empty(const Shape& shape, TensorOptions options) {
  // The most frequent call of all, so the common case avoids Layout::contiguous and bytes_for.
  std::int64_t bytes = static_cast<std::int64_t>(size_of(options.dtype));
  bool usual = true;
  for (int i = shape.rank() - 1; i >= 0; --i) usual &= shape[i] > 0 && !__builtin_mul_overflow(bytes, shape[i], &bytes);
  if (!usual) [[unlikely]]
    return empty(Layout::contiguous(shape), options);
  StoragePtr storage(allocator_of(options.device).allocate(static_cast<std::size_t>(bytes)));
  return Tensor(new TensorImpl(std::move(storage), shape, options.dtype));
}

Tensor detail::borrow(void* data, const Layout& layout, TensorOptions options, void (*release)(void*), void* context) {
  const std::int64_t end = detail::checked_end(layout, "from_blob");
  const auto bytes = static_cast<std::size_t>(detail::fit(detail::Wide{end} * size_of(options.dtype), "from_blob"));
  StoragePtr storage = borrow_storage(data, bytes, options.device, release, context);
  return Tensor(new TensorImpl(std::move(storage), layout, options.dtype));
}

template <class T>
Tensor from_values(const T* values, std::int64_t count, const Shape& shape, Device device) {
  if (count != detail::checked_numel(shape, "from_values"))
    throw ShapeError(str("from_values: ", count, " values do not fill shape ", shape));
  Tensor result = empty(shape, {.dtype = dtype_of<T>});
  if (count > 0) std::memcpy(result.raw_data(), values, static_cast<std::size_t>(count) * sizeof(T));
  return detail::on_device(result, device);
}

namespace {

/// The shape of nested lists, taken from the first list at each depth.
Shape sizes_of(const NestedValues& values) {
  Shape shape;
  for (const NestedValues* at = &values; at->is_list(); at = at->list().begin()) {
    shape.push_back(static_cast<std::int64_t>(at->list().size()));
    if (at->list().size() == 0) break;
  }
  return shape;
}

/// Calls f with each number in order. Throws ShapeError unless all lists have the sizes in `shape`.
template <class F>
void visit_numbers(const NestedValues& values, const Shape& shape, int depth, F& f) {
  if (!values.is_list() && depth == shape.rank()) return f(values.number());
  if (!values.is_list() || depth == shape.rank())
    throw ShapeError(str("tensor: numbers and lists are mixed at depth ", depth));
  const auto size = static_cast<std::int64_t>(values.list().size());
  if (size != shape[depth])
    throw ShapeError(str("tensor: lists of sizes ", shape[depth], " and ", size, " at depth ", depth,
                         "; all must have the same size"));
  for (const NestedValues& value : values.list()) visit_numbers(value, shape, depth + 1, f);
}

}  // namespace

Tensor tensor(const NestedValues& values, InferredOptions options) {
  const Shape shape = sizes_of(values);
  std::vector<Scalar> numbers;
  const auto collect = [&](Scalar number) { numbers.push_back(number); };
  visit_numbers(values, shape, 0, collect);

  bool fraction = numbers.empty(), truth = true;
  for (const Scalar number : numbers) {
    fraction |= number.is_floating();
    truth &= number.is_boolean();
  }
  const DType dtype = options.dtype.value_or(fraction ? DType::float32 : truth ? DType::boolean : DType::int64);
  Tensor result = empty(shape, {.dtype = dtype});
  dispatch<real_and_complex>(dtype, "tensor", [&]<class T> {
    T* out = result.data<T>();
    for (const Scalar number : numbers) {
      if (is_integer(dtype) && (number.is_floating() || !detail::integer_range(dtype).has(number.to<std::int64_t>())))
        throw ValueError(str("tensor: ", dtype, " cannot hold ", number.to<double>()));
      *out++ = number.to<T>();
    }
  });
  return detail::on_device(result, options.device.value_or(Device::cpu()));
}

Tensor scalar_tensor(Scalar value, TensorOptions options) {
  detail::check_number("scalar_tensor", value, options.dtype);
  Tensor result = empty(Shape{}, {.dtype = options.dtype});
  dispatch<real_and_complex>(options.dtype, "scalar_tensor", [&]<class T> { *result.data<T>() = value.to<T>(); });
  return detail::on_device(result, options.device);
}

#define MINIMA_FOR_ELEMENT(T)                                                      \
  template MINIMA_API T Tensor::item<T>(const char*, int) const;                   \
  template MINIMA_API std::vector<T> Tensor::to_vector<T>(const char*, int) const; \
  template MINIMA_API Tensor from_values<T>(const T*, std::int64_t, const Shape&, Device);
MINIMA_FOR_ELEMENT(bool)
MINIMA_FOR_ELEMENT(std::uint8_t)
MINIMA_FOR_ELEMENT(std::int8_t)
MINIMA_FOR_ELEMENT(std::int32_t)
MINIMA_FOR_ELEMENT(std::int64_t)
MINIMA_FOR_ELEMENT(Float16)
MINIMA_FOR_ELEMENT(BFloat16)
MINIMA_FOR_ELEMENT(float)
MINIMA_FOR_ELEMENT(double)
MINIMA_FOR_ELEMENT(Complex<float>)
MINIMA_FOR_ELEMENT(Complex<double>)
#undef MINIMA_FOR_ELEMENT

}  // namespace minima
