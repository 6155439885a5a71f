#pragma once

#include "simulated/libraries/cublas_lt/algorithm.h"
#include "simulated/libraries/cublas_lt/problem.h"

namespace simulated {

/// The addresses and factors of a call.
struct ProductOperands {
  double alpha = 1, beta = 0;
  const char* a = nullptr;
  const char* b = nullptr;
  const char* c = nullptr;
  char* d = nullptr;
  char* parts = nullptr;  ///< in the workspace
};

/// All of a product with one part. Sums are taken in the compute type, as a GPU takes them.
void multiply(const Problem& problem, const ProductOperands& operands);
/// Writes the parts of a product, in the compute type, to `parts`; with `rounds`, rounded to the type of D.
void multiply_parts(const Problem& problem, const ProductOperands& operands, int parts, bool rounds);
/// Adds them up and finishes the product.
void add_parts(const Problem& problem, const ProductOperands& operands, int parts);

}  // namespace simulated
