#include <minima/tensor/tensor.h>

#include <c10/util/StringUtil.h>
#include <torch/core/factories.h>
#include <torch/core/memory_order.h>
#include <torch/detail/TensorDataContainer.h>

#include <cstring>
#include <memory>
#include <utility>

namespace at {

namespace detail {

Tensor tensor_of(ScalarType type, const void* values, std::size_t count, const TensorOptions& options) {
  const ScalarType wanted = options.scalar_type_opt().value_or(type);
  if (isComplexType(type) && !isComplexType(wanted))
    throw NotImplementedError(c10::str("\"tensor_cpu\" not implemented for '", wanted, "'"));
  const minima::Tensor exact = minima::empty(static_cast<std::int64_t>(count), {.dtype = c10::native(type)});
  if (count > 0) std::memcpy(exact.raw_data(), values, count * exact.itemsize());
  Tensor result = exact.to(c10::native(options.device()), c10::native(wanted));
  if (options.requires_grad()) result.requires_grad_();
  return result;
}

}  // namespace detail

namespace {

void call_deleter(void* context) {
  const std::unique_ptr<std::pair<Deleter, void*>> call(static_cast<std::pair<Deleter, void*>*>(context));
  call->first(call->second);
}

Tensor borrowed(void* data, const minima::Layout& layout, const Deleter* deleter, const TensorOptions& options) {
  const minima::TensorOptions own{.dtype = c10::native(options.dtype().toScalarType()),
                                  .device = c10::native(options.device())};
  Tensor result = deleter ? minima::from_blob(data, layout, own, call_deleter, new std::pair(*deleter, data))
                          : minima::from_blob(data, layout, own);
  if (options.requires_grad()) result.requires_grad_();
  return keep_order(result);
}

minima::Layout strided(IntArrayRef sizes, IntArrayRef strides) {
  TORCH_CHECK(sizes.size() == strides.size(), "from_blob: ", sizes.size(), " sizes but ", strides.size(), " strides");
  return {.shape = sizes, .strides = strides};
}

}  // namespace

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const Deleter& deleter,
                 const TensorOptions& options) {
  return borrowed(data, strided(sizes, strides), &deleter, options);
}
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  return borrowed(data, strided(sizes, strides), nullptr, options);
}
Tensor from_blob(void* data, IntArrayRef sizes, const Deleter& deleter, const TensorOptions& options) {
  return borrowed(data, minima::Layout::contiguous(sizes), &deleter, options);
}
Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options) {
  return borrowed(data, minima::Layout::contiguous(sizes), nullptr, options);
}

}  // namespace at

namespace torch::detail {

namespace {

/// As in Python: int64 for integers, the default dtype for floating-point numbers.
ScalarType python_type(ScalarType type) {
  if (type == kInt || type == kLong) return kLong;
  if (type == kFloat || type == kDouble) return get_default_dtype_as_scalartype();
  return type;
}

/// Writes the numbers in row-major order and returns the place after them.
template <class T>
T* write(T* place, const TensorDataContainer& values) {
  if (values.is_scalar()) {
    *place = values.scalar().to<T>();
    return place + 1;
  }
  for (const TensorDataContainer& part : values.init_list()) place = write(place, part);
  return place;
}

void write(minima::Tensor& target, ScalarType type, const TensorDataContainer& values) {
  switch (type) {
#define MINIMA_TORCH_WRITE(T, name, number) \
  case ScalarType::name: write(static_cast<T*>(target.raw_data()), values); break;
    AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS_(MINIMA_TORCH_WRITE)
#undef MINIMA_TORCH_WRITE
    default: break;
  }
}

}  // namespace

TensorDataContainer::TensorDataContainer(std::initializer_list<TensorDataContainer> list)
    : scalar_type_(list.size() == 0 ? get_default_dtype_as_scalartype() : list.begin()->scalar_type()),
      type_(Kind::InitList),
      init_list_(list) {
  sizes_ = {static_cast<std::int64_t>(list.size())};
  if (list.size() == 0) return;
  const TensorDataContainer& first = *list.begin();
  for (const TensorDataContainer& part : list) {
    TORCH_CHECK(part.sizes() == first.sizes(), "Expected all sub-lists to have sizes: ", c10::Join(" ", first.sizes()),
                " (e.g. ", first, "), but got sub-list ", part, " with sizes: ", c10::Join(" ", part.sizes()));
    TORCH_CHECK(part.scalar_type() == scalar_type_,
                "Expected all elements of the tensor to have the same scalar type: ", scalar_type_,
                ", but got element of scalar type: ", part.scalar_type());
  }
  sizes_.insert(sizes_.end(), first.sizes().begin(), first.sizes().end());
}

TensorDataContainer::TensorDataContainer(ScalarType type, const void* values, std::size_t count)
    : sizes_{static_cast<std::int64_t>(count)},
      scalar_type_(type),
      type_(Kind::Tensor),
      tensor_(at::detail::tensor_of(type, values, count, {})) {}

TensorDataContainer::TensorDataContainer(const std::vector<bool>& values)
    : sizes_{static_cast<std::int64_t>(values.size())},
      scalar_type_(kBool),
      type_(Kind::Tensor),
      tensor_(minima::empty(sizes_[0], {.dtype = minima::boolean})) {
  bool* const data = tensor_.native().data<bool>();
  for (std::size_t i = 0; i < values.size(); ++i) data[i] = values[i];
}

const Scalar& TensorDataContainer::scalar() const {
  TORCH_CHECK(is_scalar(), "Can only call `scalar()` on a TensorDataContainer that has `is_scalar() == true`");
  return scalar_;
}
const std::initializer_list<TensorDataContainer>& TensorDataContainer::init_list() const {
  TORCH_CHECK(is_init_list(), "Can only call `init_list()` on a TensorDataContainer that has `is_init_list() == true`");
  return init_list_;
}
const Tensor& TensorDataContainer::tensor() const {
  TORCH_CHECK(is_tensor(), "Can only call `tensor()` on a TensorDataContainer that has `is_tensor() == true`");
  return tensor_;
}

Tensor TensorDataContainer::convert_to_tensor(TensorOptions options) const {
  const ScalarType type = options.scalar_type_opt().value_or(python_type(scalar_type_));
  Tensor result;
  if (is_tensor()) {
    TORCH_CHECK(isComplexType(type) || !isComplexType(scalar_type_),
                "can not do torch::tensor(complex, dtype=non-complex) because complex can not be casted to real number "
                "without loss of information");
    result = tensor_.to(options.device(), type);
  } else {
    minima::Tensor numbers = minima::empty(IntArrayRef(sizes_), {.dtype = c10::native(type)});
    write(numbers, type, *this);
    result = numbers.to(c10::native(options.device()));
  }
  if (options.requires_grad()) result.requires_grad_();
  return result;
}

void TensorDataContainer::pretty_print_recursive(std::ostream& out) const {
  if (is_scalar()) {
    out << scalar_;
    return;
  }
  out << "{";
  const char* between = "";
  if (is_init_list()) {
    for (const TensorDataContainer& part : init_list_) out << std::exchange(between, ", ") << part;
  } else {
    for (std::int64_t i = 0; i < tensor_.numel(); ++i) out << std::exchange(between, ", ") << tensor_[i].item();
  }
  out << "}";
}

}  // namespace torch::detail
