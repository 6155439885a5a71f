#pragma once

#include <minima/ops/pointwise/number.h>

/// x·exp(-y²), as in docs/adding-an-operator.md.
struct Gauss {
  static constexpr const char* name = "gauss";
  template <class T> MINIMA_HD T operator()(T x, T y) const { return x * exp(-y * y); }
};
void built_for_cuda(const Gauss&);
