#pragma once

#include <minima/ops/linalg/kernels/batch.h>

#include <cstdint>

// The kernels of linalg_kernels.h by NVIDIA's cuSOLVER and cuBLAS, on the device's current stream. Inputs have any
// strides and at least one element, outputs are row-major. Reading what a call found waits for the stream: once for a
// whole batch. Internal.

namespace minima::detail {

/// Whether cuSOLVER computes what has these inputs: it can be opened, and they have elements.
bool use_cusolver(const Tensor& x);
bool use_cusolver(const Tensor& a, const Tensor& b);

Infos cholesky_cusolver(const Tensor& x, bool upper, const Tensor& y);

void lu_cusolver(const Tensor& x, const Tensor& lu, const Tensor& pivots);
void solve_triangular_cusolver(const Tensor& a, bool upper, bool unitriangular, const Tensor& b, const Tensor& x);
Infos solve_cusolver(const Tensor& a, const Tensor& b, const Tensor& x, const Tensor& lu, const Tensor& pivots);
void solve_transposed_cusolver(const Tensor& lu, const Tensor& pivots, const Tensor& b, const Tensor& x);
/// Returns nothing and waits for nothing unless `checked`.
Infos inv_cusolver(const Tensor& x, bool checked, const Tensor& y);
void det_cusolver(const Tensor& x, const Tensor& y);
void slogdet_cusolver(const Tensor& x, const Tensor& sign, const Tensor& logarithm);

void qr_cusolver(const Tensor& x, const Tensor& q, const Tensor& r);
void geqrf_cusolver(const Tensor& x, const Tensor& reflections, const Tensor& tau);
Infos eigh_cusolver(const Tensor& x, bool upper, const Tensor& values, const Tensor& vectors);
/// U and Vᵀ are undefined where the singular values alone are wanted.
Infos svd_cusolver(const Tensor& x, const Tensor& u, const Tensor& s, const Tensor& vt);

/// Reads the largest norm back.
void matrix_exp_cusolver(const Tensor& x, const Tensor& y);

}  // namespace minima::detail
