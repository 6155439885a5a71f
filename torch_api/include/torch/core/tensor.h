#pragma once

#include <minima/tensor/tensor.h>

#include <ATen/Dimname.h>
#include <ATen/core/DeprecatedTypeProperties.h>
#include <ATen/core/Generator.h>
#include <ATen/core/TensorAccessor.h>
#include <c10/core/Scalar.h>
#include <c10/core/Storage.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/OptionalArrayRef.h>
#include <c10/util/string_view.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace c10 {
struct TensorImpl;
class SymInt;
using SymIntArrayRef = ArrayRef<SymInt>;
}  // namespace c10

namespace torch::autograd {
struct Node;
}  // namespace torch::autograd

namespace at {

using namespace c10;
using std::nullopt;
using std::optional;

class Tensor;
using TensorList = ArrayRef<Tensor>;
using ITensorList = TensorList;
/// LibTorch's base class of Tensor without operators. Here they are the same.
using TensorBase = Tensor;

namespace indexing {
struct TensorIndex;
}

/// LibTorch's tensor: a handle on a minima::Tensor, to and from which it converts, so that minima's functions take it.
/// Copies share the data. A default-constructed tensor is undefined.
///
/// It is not derived from minima::Tensor: minima's operators would then be found for it, too.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(std::nullptr_t) {}
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  Tensor(const minima::Tensor& tensor) : tensor_(tensor) {}
  Tensor(minima::Tensor&& tensor) noexcept : tensor_(std::move(tensor)) {}
  ~Tensor() = default;

  const minima::Tensor& native() const { return tensor_; }
  minima::Tensor& native() { return tensor_; }
  operator const minima::Tensor&() const { return tensor_; }

  Tensor& operator=(const Tensor& other) & = default;
  Tensor& operator=(Tensor&& other) & noexcept = default;
  /// `x[i] = y` writes elements.
  Tensor& operator=(const Tensor& values) &&;
  Tensor& operator=(Tensor&& values) && { return std::move(*this) = static_cast<const Tensor&>(values); }
  Tensor& operator=(const Scalar& value) &&;

  // --- identity ---
  bool defined() const { return tensor_.defined(); }
  void reset() { tensor_ = {}; }
  bool is_same(const Tensor& other) const noexcept { return tensor_.is_same(other.tensor_); }
  std::size_t use_count() const noexcept;
  std::size_t weak_use_count() const noexcept { return defined() ? 1 : 0; }
  bool is_uniquely_owned() const noexcept { return use_count() == 1; }
  bool is_alias_of(const Tensor& other) const;
  c10::TensorImpl* unsafeGetTensorImpl() const;
  /// For an address only: minima's tensors are not made from, or replaced by, an implementation.
  c10::TensorImpl* getIntrusivePtr() const { return unsafeGetTensorImpl(); }

  // --- metadata ---
  std::int64_t dim() const { return tensor_.rank(); }
  std::int64_t ndimension() const { return dim(); }
  IntArrayRef sizes() const { return tensor_.shape(); }
  std::int64_t size(std::int64_t dim) const;
  IntArrayRef strides() const;
  std::int64_t stride(std::int64_t dim) const;
  std::int64_t numel() const { return tensor_.numel(); }
  std::size_t itemsize() const { return tensor_.itemsize(); }
  std::int64_t element_size() const { return static_cast<std::int64_t>(itemsize()); }
  std::size_t nbytes() const { return static_cast<std::size_t>(numel()) * itemsize(); }
  std::int64_t storage_offset() const;
  bool has_storage() const { return defined(); }
  Storage storage() const;
  /// Pinned where there is a GPU; else a copy in pageable memory.
  Tensor pin_memory(std::optional<Device> device = std::nullopt) const;
  bool is_pinned(std::optional<Device> device = std::nullopt) const;
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  bool is_non_overlapping_and_dense() const { return tensor_.layout().is_dense(); }
  MemoryFormat suggest_memory_format(bool exact_strides = false) const;

  ScalarType scalar_type() const { return c10::scalar_type(tensor_.dtype()); }
  caffe2::TypeMeta dtype() const { return caffe2::TypeMeta(scalar_type()); }
  Layout layout() const { return defined() ? kStrided : (refuse_undefined("layout"), kStrided); }
  Device device() const { return from_native(tensor_.device()); }
  DeviceIndex get_device() const { return device().index(); }
  TensorOptions options() const { return TensorOptions(dtype()).device(device()).layout(layout()); }
  DeprecatedTypeProperties type() const { return {is_cuda() ? Backend::CUDA : Backend::CPU, scalar_type()}; }
  std::string toString() const { return type().toString(); }
  bool is_floating_point() const { return minima::is_floating(tensor_.dtype()); }
  bool is_complex() const { return minima::is_complex(tensor_.dtype()); }
  bool is_signed() const { return isSignedType(scalar_type()); }
  bool is_cpu() const { return tensor_.device().is_cpu(); }
  bool is_cuda() const { return tensor_.device().is_cuda(); }
  // minima has no tensors of these kinds.
  bool is_sparse() const { return false; }
  bool is_sparse_csr() const { return false; }
  bool is_quantized() const { return false; }
  bool is_meta() const { return false; }
  bool is_nested() const { return false; }
  bool is_mkldnn() const { return false; }
  bool is_mps() const { return false; }
  bool is_xpu() const { return false; }
  bool is_xla() const { return false; }
  bool is_hip() const { return false; }
  bool is_vulkan() const { return false; }
  bool is_metal() const { return false; }
  bool is_conj() const { return false; }
  bool is_neg() const { return false; }
  // Dimensions have no names: what would set one throws.
  bool has_names() const { return false; }
  DimnameList names() const;
  Tensor refine_names(DimnameList names) const;
  Tensor rename(std::optional<DimnameList> names) const;
  std::optional<DimnameList> opt_names() const { return std::nullopt; }

  // --- elements ---
  void* data_ptr() const;
  void* mutable_data_ptr() const { return data_ptr(); }
  const void* const_data_ptr() const { return data_ptr(); }
  template <class T>
  T* data_ptr() const {
    return static_cast<T*>(typed_data(CppTypeToScalarType<std::remove_const_t<T>>::value));
  }
  template <class T>
  T* mutable_data_ptr() const {
    return data_ptr<T>();
  }
  template <class T>
  const std::remove_const_t<T>* const_data_ptr() const {
    return data_ptr<std::remove_const_t<T>>();
  }
  template <class T>
  [[deprecated("use data_ptr<T>()")]] T* data() const {
    return data_ptr<T>();
  }
  Scalar item() const;
  template <class T>
  T item() const {
    return item().template to<T>();
  }
  void print() const;

  template <class T, std::size_t N>
  TensorAccessor<T, N> accessor() const& {
    static_assert(N > 0, "accessor is used for indexing tensor, for scalars use *data_ptr<T>()");
    check_accessor_dim(N);
    T* const data = data_ptr<T>();
    return {data, sizes().data(), strides().data()};
  }
  template <class T, std::size_t N>
  TensorAccessor<T, N> accessor() && = delete;
  template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits, class Index = std::int64_t>
  GenericPackedTensorAccessor<T, N, PtrTraits, Index> generic_packed_accessor() const& {
    static_assert(N > 0, "accessor is used for indexing tensor, for scalars use *data_ptr<T>()");
    check_accessor_dim(N);
    T* const data = data_ptr<T>();
    return {data, sizes().data(), strides().data()};
  }
  template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() const& {
    TORCH_CHECK(numel() <= INT32_MAX,
                "numel needs to be smaller than int32_t max; otherwise, please use packed_accessor64");
    return generic_packed_accessor<T, N, PtrTraits, std::int32_t>();
  }
  template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() const& {
    return generic_packed_accessor<T, N, PtrTraits, std::int64_t>();
  }
  template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits, class Index = std::int64_t>
  GenericPackedTensorAccessor<T, N, PtrTraits, Index> packed_accessor() const& {
    return generic_packed_accessor<T, N, PtrTraits, Index>();
  }

  // --- conversion ---
  Tensor to(TensorOptions options = {}, bool non_blocking = false, bool copy = false,
            std::optional<MemoryFormat> format = std::nullopt) const;
  Tensor to(std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device,
            std::optional<bool> pin_memory, bool non_blocking, bool copy, std::optional<MemoryFormat> format) const;
  Tensor to(Device device, ScalarType dtype, bool non_blocking = false, bool copy = false,
            std::optional<MemoryFormat> format = std::nullopt) const;
  Tensor to(Device device, caffe2::TypeMeta dtype, bool non_blocking = false, bool copy = false,
            std::optional<MemoryFormat> format = std::nullopt) const {
    return to(device, dtype.toScalarType(), non_blocking, copy, format);
  }
  Tensor to(ScalarType dtype, bool non_blocking = false, bool copy = false,
            std::optional<MemoryFormat> format = std::nullopt) const;
  Tensor to(const Tensor& other, bool non_blocking = false, bool copy = false,
            std::optional<MemoryFormat> format = std::nullopt) const;
  Tensor toType(ScalarType type) const { return to(type); }
  Tensor cpu() const { return to(TensorOptions(kCPU)); }
  Tensor cuda() const { return to(TensorOptions(kCUDA)); }

  // --- indexing: views where LibTorch makes views ---
  Tensor operator[](const Scalar& index) const;
  Tensor operator[](const Tensor& index) const;
  Tensor operator[](std::int64_t index) const;
  Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
  Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& values);
  Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar& value);
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor& values);
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar& value);
  Tensor index(ArrayRef<std::optional<Tensor>> indices) const;
  Tensor& index_put_(ArrayRef<std::optional<Tensor>> indices, const Tensor& values, bool accumulate = false) const;
  Tensor index_put(ArrayRef<std::optional<Tensor>> indices, const Tensor& values, bool accumulate = false) const;

  // --- operators ---
  Tensor operator~() const;
  Tensor operator-() const;
  Tensor& operator+=(const Tensor& other);
  Tensor& operator+=(const Scalar& other);
  Tensor& operator-=(const Tensor& other);
  Tensor& operator-=(const Scalar& other);
  Tensor& operator*=(const Tensor& other);
  Tensor& operator*=(const Scalar& other);
  Tensor& operator/=(const Tensor& other);
  Tensor& operator/=(const Scalar& other);
  Tensor& operator&=(const Tensor& other);
  Tensor& operator|=(const Tensor& other);
  Tensor& operator^=(const Tensor& other);

  // --- gradients (defined in torch_api/autograd) ---
  const Tensor& set_requires_grad(bool requires_grad) const;
  bool requires_grad() const;
  const Tensor& requires_grad_(bool requires_grad = true) const;
  bool is_leaf() const;
  std::int64_t output_nr() const;
  std::int64_t _version() const;
  /// Const, so that `auto& grad = x.grad()` compiles as with LibTorch's reference.
  const Tensor grad() const;
  class GradientReference;
  /// Assigning to the result replaces the gradient.
  GradientReference mutable_grad() const;
  std::shared_ptr<torch::autograd::Node> grad_fn() const;
  void backward(const Tensor& gradient = {}, std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                std::optional<TensorList> inputs = std::nullopt) const;
  void retain_grad() const;
  bool retains_grad() const;
  Tensor detach() const;
  const Tensor& detach_() const;
  Tensor data() const;
  Tensor variable_data() const;
  Tensor tensor_data() const;
  void set_data(const Tensor& source) const;
  bool is_view() const;
  Tensor _base() const;
  bool is_inference() const;
  template <class T>
  unsigned register_hook(T&& hook) const {
    if constexpr (std::is_void_v<std::invoke_result_t<T&, Tensor>>)
      return _register_hook([hook = std::forward<T>(hook)](const Tensor& grad) mutable {
        hook(grad);
        return Tensor();
      });
    else return _register_hook(std::forward<T>(hook));
  }
  void remove_hook(unsigned position) const;
  const std::string& name() const;

  // --- operators with names ---
#include <torch/core/tensor_methods.h>

 private:
  [[noreturn]] static void refuse_undefined(const char* member);
  void* typed_data(ScalarType type) const;
  void check_accessor_dim(std::size_t dim) const;
  unsigned _register_hook(std::function<Tensor(const Tensor&)> hook) const;

  minima::Tensor tensor_;
};

class Tensor::GradientReference : public Tensor {
 public:
  GradientReference(const Tensor& owner, const Tensor& grad) : Tensor(grad), owner_(owner) {}
  GradientReference& operator=(const Tensor& grad);
  GradientReference& operator=(const GradientReference& other) { return *this = static_cast<const Tensor&>(other); }
  void reset() { *this = Tensor(); }

 private:
  Tensor owner_;
};

template <>
inline Scalar Tensor::item<Scalar>() const {
  return item();
}

// A list of tensors is one of minima's tensors, since a Tensor is nothing but a minima::Tensor.
static_assert(sizeof(Tensor) == sizeof(minima::Tensor));
inline std::span<const minima::Tensor> natives(TensorList tensors) {
  return {reinterpret_cast<const minima::Tensor*>(tensors.data()), tensors.size()};
}
inline std::vector<minima::Tensor> native_vector(TensorList tensors) {
  const auto list = natives(tensors);
  return {list.begin(), list.end()};
}
/// minima::Tensor() for std::nullopt.
inline const minima::Tensor& native_or_none(const std::optional<Tensor>& tensor) {
  static const minima::Tensor none;
  return tensor ? tensor->native() : none;
}
std::vector<Tensor> wrap(std::vector<minima::Tensor>&& tensors);

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);
/// The same with another line width than 80 columns.
std::ostream& print(std::ostream& out, const Tensor& tensor, std::int64_t line_size);
/// The same to std::cout.
void print(const Tensor& tensor, std::int64_t line_size = 80);

// --- operators on both sides; `a / b` of integers is floating, comparisons are element by element ---
#define MINIMA_TORCH_BINARY(op)                         \
  Tensor operator op(const Tensor& a, const Tensor& b); \
  Tensor operator op(const Tensor& a, const Scalar& b); \
  Tensor operator op(const Scalar& a, const Tensor& b);
MINIMA_TORCH_BINARY(+)
MINIMA_TORCH_BINARY(-)
MINIMA_TORCH_BINARY(*)
MINIMA_TORCH_BINARY(/)
MINIMA_TORCH_BINARY(%)
MINIMA_TORCH_BINARY(&)
MINIMA_TORCH_BINARY(|)
MINIMA_TORCH_BINARY(^)
MINIMA_TORCH_BINARY(==)
MINIMA_TORCH_BINARY(!=)
MINIMA_TORCH_BINARY(<)
MINIMA_TORCH_BINARY(<=)
MINIMA_TORCH_BINARY(>)
MINIMA_TORCH_BINARY(>=)
#undef MINIMA_TORCH_BINARY

}  // namespace at
