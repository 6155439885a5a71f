#pragma once

#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace at {

using namespace c10;

template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict;
};

/// A pointer with sizes and strides that it does not own: a[i][j] is an element. It must not outlive its tensor, and it
/// checks no index.
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits, class Index = std::int64_t>
class TensorAccessorBase {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;

  C10_HOST_DEVICE TensorAccessorBase(PtrType data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  IntArrayRef sizes() const { return {sizes_, N}; }
  IntArrayRef strides() const { return {strides_, N}; }
  C10_HOST_DEVICE Index stride(Index i) const { return strides_[i]; }
  C10_HOST_DEVICE Index size(Index i) const { return sizes_[i]; }
  C10_HOST_DEVICE PtrType data() const { return data_; }

 protected:
  PtrType data_;
  const Index* sizes_;
  const Index* strides_;
};

template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits, class Index = std::int64_t>
class TensorAccessor : public TensorAccessorBase<T, N, PtrTraits, Index> {
 public:
  using TensorAccessorBase<T, N, PtrTraits, Index>::TensorAccessorBase;
  C10_HOST_DEVICE TensorAccessor<T, N - 1, PtrTraits, Index> operator[](Index i) const {
    return {this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1};
  }
};
template <class T, template <class> class PtrTraits, class Index>
class TensorAccessor<T, 1, PtrTraits, Index> : public TensorAccessorBase<T, 1, PtrTraits, Index> {
 public:
  using TensorAccessorBase<T, 1, PtrTraits, Index>::TensorAccessorBase;
  C10_HOST_DEVICE T& operator[](Index i) const { return this->data_[this->strides_[0] * i]; }
};

/// The same with sizes and strides inside, to be passed to a kernel.
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits, class Index = std::int64_t>
class GenericPackedTensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;

  GenericPackedTensorAccessor(PtrType data, const std::int64_t* sizes, const std::int64_t* strides) : data_(data) {
    for (std::size_t i = 0; i < N; ++i) {
      sizes_[i] = static_cast<Index>(sizes[i]);
      strides_[i] = static_cast<Index>(strides[i]);
    }
  }
  C10_HOST_DEVICE Index stride(Index i) const { return strides_[i]; }
  C10_HOST_DEVICE Index size(Index i) const { return sizes_[i]; }
  C10_HOST_DEVICE PtrType data() const { return data_; }
  C10_HOST_DEVICE decltype(auto) operator[](Index i) const {
    return TensorAccessor<T, N, PtrTraits, Index>(data_, sizes_, strides_)[i];
  }

 private:
  PtrType data_;
  Index sizes_[N];
  Index strides_[N];
};
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, std::int32_t>;
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, std::int64_t>;
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits, class Index = std::int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, Index>;

}  // namespace at

namespace torch {
using at::DefaultPtrTraits;
using at::GenericPackedTensorAccessor;
using at::PackedTensorAccessor32;
using at::PackedTensorAccessor64;
using at::RestrictPtrTraits;
using at::TensorAccessor;
}  // namespace torch
