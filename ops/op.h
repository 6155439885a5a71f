#pragma once

// IWYU pragma: begin_exports
#include <minima/ops/core/apply.h>
// IWYU pragma: end_exports

// How to write an operator: one struct, and `apply`. For authors of operators; users include the operators' own
// headers. docs/adding-an-operator.md is the tutorial.
//
//   struct Softmax {
//     static constexpr Traits traits{.name = "softmax", .autocast = Cast::to_float32};
//     int dim;                                                   // attributes are members
//     TensorSpec result(const Tensor& x) const;                  // checks and output spec, before any device code
//     Cost cost(const Tensor& x) const;                          // for profiler and benchmarks
//     void cpu(const Tensor& x, Tensor& y) const;
//     void cuda(const Tensor& x, Tensor& y) const;               // calls a plain function that a .cu defines
//     Tensor gradient(Grad g, Output y) const;                   // public operators only: any order
//     Tensor fast_gradient(Grad g, Output y) const;              // optional kernel for when no graph of it is wanted
//   };
//   Tensor softmax(const Tensor& x, int dim) { return apply(Softmax{dim}, x); }
