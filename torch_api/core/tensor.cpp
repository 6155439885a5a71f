#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>

#include <c10/util/Exception.h>
#include <core/operands.h>
#include <torch/core/memory_order.h>
#include <torch/core/tensor.h>

// Metadata and elements.

namespace at {

std::size_t Tensor::use_count() const noexcept { return defined() ? tensor_.impl()->references.value() : 0; }

bool Tensor::is_alias_of(const Tensor& other) const {
  return tensor_.impl()->storage.get() == other.tensor_.impl()->storage.get();
}

void Tensor::refuse_undefined(const char* member) {
  throw Error(c10::str("Expected a proper Tensor but got None (or an undefined Tensor in C++): ", member));
}

namespace {

int wrapped_dim(std::int64_t dim, std::int64_t rank) {
  TORCH_CHECK_INDEX(rank > 0, "Dimension specified as ", dim, " but tensor has no dimensions");
  TORCH_CHECK_INDEX(-rank <= dim && dim < rank, "Dimension out of range (expected to be in range of [", -rank, ", ",
                    rank - 1, "], but got ", dim, ")");
  return static_cast<int>(dim < 0 ? dim + rank : dim);
}

}  // namespace

std::int64_t Tensor::size(std::int64_t dim) const { return tensor_.shape()[wrapped_dim(dim, this->dim())]; }
IntArrayRef Tensor::strides() const { return rows_first(*this).tensor_.strides(); }
std::int64_t Tensor::stride(std::int64_t dim) const {
  return rows_first(*this).tensor_.strides()[wrapped_dim(dim, this->dim())];
}
std::int64_t Tensor::storage_offset() const { return rows_first(*this).tensor_.layout().offset; }
Storage Tensor::storage() const { return Storage(rows_first(*this).tensor_.impl()->storage); }

bool Tensor::is_contiguous(MemoryFormat format) const {
  const minima::Layout& own = tensor_.layout();
  if (format == MemoryFormat::ChannelsLast) return own.rank() == 4 && own.is_channels_last();
  if (format == MemoryFormat::ChannelsLast3d) return own.rank() == 5 && own.is_channels_last();
  return rows_first(*this).tensor_.is_contiguous();
}

MemoryFormat Tensor::suggest_memory_format(bool) const {
  if (is_contiguous() || !tensor_.layout().is_channels_last()) return MemoryFormat::Contiguous;
  return dim() == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
}

void* Tensor::data_ptr() const {
  TORCH_CHECK(defined(),
              "The tensor has a non-zero number of elements, but its data is not allocated yet: it is undefined");
  return numel() == 0 ? nullptr : rows_first(*this).tensor_.raw_data();
}

void* Tensor::typed_data(ScalarType type) const {
  TORCH_CHECK(defined() && scalar_type() == type, "expected scalar type ", type, " but found ",
              defined() ? c10::toString(scalar_type()) : "an undefined tensor");
  return data_ptr();
}

void Tensor::check_accessor_dim(std::size_t wanted) const {
  TORCH_CHECK(dim() == static_cast<std::int64_t>(wanted), "TensorAccessor expected ", wanted, " dims but tensor has ",
              dim());
}

Scalar Tensor::item() const {
  TORCH_CHECK(numel() == 1, "a Tensor with ", numel(), " elements cannot be converted to Scalar");
  if (is_complex()) {
    const auto value = tensor_.item<minima::Complex<double>>();
    return c10::complex<double>(value.re, value.im);
  }
  if (is_floating_point()) return tensor_.item<double>();
  if (scalar_type() == kBool) return tensor_.item<bool>();
  return tensor_.item<std::int64_t>();
}

DimnameList Tensor::names() const {
  static const std::vector<Dimname> none(64, Dimname::wildcard());
  TORCH_CHECK(dim() <= 64, "names: the tensor has ", dim(), " dimensions; at most 64 have names");
  return {none.data(), static_cast<std::size_t>(dim())};
}
Tensor Tensor::refine_names(DimnameList) const {
  throw NotImplementedError("refine_names: minima's tensors have no named dimensions; use their numbers");
}
Tensor Tensor::rename(std::optional<DimnameList> names) const {
  if (!names) return *this;
  return refine_names(*names);
}

std::string DeprecatedTypeProperties::toString() const { return c10::str(backend_, type_, "Type"); }
std::ostream& operator<<(std::ostream& out, const DeprecatedTypeProperties& type) { return out << type.toString(); }

Tensor& Tensor::operator=(const Tensor& values) && {
  minima::copy_(tensor_, values);
  return *this;
}
Tensor& Tensor::operator=(const Scalar& value) && {
  if (value.isComplex() || tensor_.rank() == 0) minima::copy_(tensor_, scalar_like(value, *this));
  else minima::fill_(tensor_, value.native());
  return *this;
}

std::vector<Tensor> wrap(std::vector<minima::Tensor>&& tensors) {
  return {std::make_move_iterator(tensors.begin()), std::make_move_iterator(tensors.end())};
}

}  // namespace at
