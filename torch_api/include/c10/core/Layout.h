#pragma once

#include <cstdint>
#include <ostream>

namespace c10 {

/// minima has strided tensors only; creating one with another layout throws.
enum class Layout : std::int8_t {
  Strided,
  Sparse,
  SparseCsr,
  Mkldnn,
  SparseCsc,
  SparseBsr,
  SparseBsc,
  Jagged,
  NumOptions
};

inline constexpr Layout kStrided = Layout::Strided, kSparse = Layout::Sparse, kSparseCsr = Layout::SparseCsr,
                        kMkldnn = Layout::Mkldnn, kSparseCsc = Layout::SparseCsc, kSparseBsr = Layout::SparseBsr,
                        kSparseBsc = Layout::SparseBsc, kJagged = Layout::Jagged;

std::ostream& operator<<(std::ostream& out, Layout layout);

}  // namespace c10
