#include "simulated/libraries/nccl/reduce.h"

#include <minima/tensor/base/half.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace simulated::nccl {

namespace {

template <class T> inline constexpr bool is_half =
    std::is_same_v<T, minima::Float16> || std::is_same_v<T, minima::BFloat16>;

/// The type that T is computed in. Integers wrap around.
template <class T> struct Arithmetic {
  using Type = std::make_unsigned_t<T>;
};
template <> struct Arithmetic<float> {
  using Type = float;
};
template <> struct Arithmetic<double> {
  using Type = double;
};
template <> struct Arithmetic<minima::Float16> {
  using Type = float;
};
template <> struct Arithmetic<minima::BFloat16> {
  using Type = float;
};

template <class T> T combine(ncclRedOp_t operation, T a, T b) {
  using A = typename Arithmetic<T>::Type;
  const bool is_max = operation == ncclMax;
  if (operation == ncclMax || operation == ncclMin) {
    if constexpr (std::is_integral_v<T>) return is_max ? std::max(a, b) : std::min(a, b);
    else {
      const A x = static_cast<A>(a), y = static_cast<A>(b);
      return static_cast<T>(is_max ? std::fmax(x, y) : std::fmin(x, y));
    }
  }
  const A x = static_cast<A>(a), y = static_cast<A>(b);
  return static_cast<T>(static_cast<A>(operation == ncclProd ? x * y : x + y));
}

template <class T>
void reduce_all(ncclRedOp_t operation, T* to, const std::vector<const void*>& from, std::size_t count) {
  const auto ranks = from.size();
  const auto value = [&](std::size_t rank, std::size_t i) {
    const T x = static_cast<const T*>(from[rank])[i];
    if constexpr (std::is_integral_v<T>) return x;
    else {
      using A = typename Arithmetic<T>::Type;
      const A share = static_cast<A>(static_cast<T>(static_cast<A>(1) / static_cast<A>(ranks)));
      return operation == ncclAvg ? static_cast<T>(static_cast<A>(x) * share) : x;
    }
  };
  for (std::size_t i = 0; i < count; ++i) {
    T result = value(0, i);
    for (std::size_t rank = 1; rank < ranks; ++rank) result = combine(operation, result, value(rank, i));
    if constexpr (std::is_integral_v<T>)
      if (operation == ncclAvg) result = static_cast<T>(result / static_cast<T>(ranks));
    to[i] = result;
  }
}

}  // namespace

void reduce(ncclRedOp_t operation, ncclDataType_t type, void* to, const std::vector<const void*>& from,
            std::size_t count) {
  const auto as = [&]<class T>(T*) { reduce_all(operation, static_cast<T*>(to), from, count); };
  switch (type) {
    case ncclInt8: return as(static_cast<std::int8_t*>(to));
    case ncclUint8: return as(static_cast<std::uint8_t*>(to));
    case ncclInt32: return as(static_cast<std::int32_t*>(to));
    case ncclUint32: return as(static_cast<std::uint32_t*>(to));
    case ncclInt64: return as(static_cast<std::int64_t*>(to));
    case ncclUint64: return as(static_cast<std::uint64_t*>(to));
    case ncclFloat16: return as(static_cast<minima::Float16*>(to));
    case ncclFloat32: return as(static_cast<float*>(to));
    case ncclFloat64: return as(static_cast<double*>(to));
    case ncclBfloat16: return as(static_cast<minima::BFloat16*>(to));
  }
}

}  // namespace simulated::nccl
