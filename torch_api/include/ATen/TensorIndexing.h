#pragma once

#include <torch/core/tensor.h>

#include <cstdint>
#include <initializer_list>

namespace at::indexing {

inline constexpr std::int64_t INDEX_MIN = INT64_MIN / 2;
inline constexpr std::int64_t INDEX_MAX = -(INDEX_MIN + 1);

inline constexpr std::nullopt_t None = std::nullopt;

struct EllipsisIndexType final {
  EllipsisIndexType() = default;
};
inline constexpr EllipsisIndexType Ellipsis{};

/// start:stop:step, as in Python; std::nullopt stands for a bound that is left out.
struct Slice final {
  Slice(std::optional<std::int64_t> start = std::nullopt, std::optional<std::int64_t> stop = std::nullopt,
        std::optional<std::int64_t> step = std::nullopt);

  std::int64_t start() const { return start_; }
  std::int64_t stop() const { return stop_; }
  std::int64_t step() const { return step_; }

 private:
  std::int64_t start_, stop_, step_;
};
std::ostream& operator<<(std::ostream& out, const Slice& slice);

enum class TensorIndexType : std::uint8_t { None, Ellipsis, SymInt, Boolean, Slice, Tensor };

/// The index of one dimension; a tensor of bools covers as many as it has.
struct TensorIndex final {
  TensorIndex(std::nullopt_t) : type_(TensorIndexType::None) {}
  TensorIndex(EllipsisIndexType) : type_(TensorIndexType::Ellipsis) {}
  TensorIndex(const char* dots);
  TensorIndex(std::int64_t integer) : integer_(integer), type_(TensorIndexType::SymInt) {}
  TensorIndex(int integer) : TensorIndex(std::int64_t{integer}) {}
  template <class T>
  requires std::is_same_v<T, bool> TensorIndex(T boolean) : integer_(boolean), type_(TensorIndexType::Boolean) {}
  TensorIndex(Slice slice) : slice_(slice), type_(TensorIndexType::Slice) {}
  TensorIndex(Tensor tensor) : tensor_(std::move(tensor)), type_(TensorIndexType::Tensor) {}

  bool is_none() const { return type_ == TensorIndexType::None; }
  bool is_ellipsis() const { return type_ == TensorIndexType::Ellipsis; }
  bool is_integer() const { return type_ == TensorIndexType::SymInt; }
  bool is_boolean() const { return type_ == TensorIndexType::Boolean; }
  bool is_slice() const { return type_ == TensorIndexType::Slice; }
  bool is_tensor() const { return type_ == TensorIndexType::Tensor; }
  std::int64_t integer() const { return integer_; }
  bool boolean() const { return integer_ != 0; }
  const Slice& slice() const { return slice_; }
  const Tensor& tensor() const { return tensor_; }

 private:
  std::int64_t integer_ = 0;
  Slice slice_;
  Tensor tensor_;
  TensorIndexType type_;
};
std::ostream& operator<<(std::ostream& out, const TensorIndex& index);
std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices);

}  // namespace at::indexing

namespace at {
inline Tensor Tensor::index(std::initializer_list<indexing::TensorIndex> indices) const {
  return index(ArrayRef<indexing::TensorIndex>(indices));
}
inline Tensor& Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor& values) {
  return index_put_(ArrayRef<indexing::TensorIndex>(indices), values);
}
inline Tensor& Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar& value) {
  return index_put_(ArrayRef<indexing::TensorIndex>(indices), value);
}
}  // namespace at
