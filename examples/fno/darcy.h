#pragma once

#include <minima/minima.h>

/// Flow through a porous plate: -∇·(a ∇u) = 100 on the unit square, u = 0 on its border, the benchmark of Li et al.,
/// "Fourier Neural Operator for Parametric Partial Differential Equations" (2021). Values are those of size × size
/// cells.
struct DarcyFields {
  minima::Tensor a;  ///< permeability 3 or 12, [count, 1, size, size]
  minima::Tensor u;  ///< pressure, likewise
};

/// a is 12 where a normal random field of covariance (-Δ + 9)⁻² is positive, else 3; u comes from five-point finite
/// volumes, solved exactly. Fields depend on `seed` and their number alone.
DarcyFields make_darcy_fields(std::int64_t count, std::int64_t size, std::uint64_t seed);
