#pragma once

/// Linear algebra, under the names of torch.linalg. Not part of minima.h:
///   #include <minima/ops/linalg/linalg.h>
///   Tensor x = linalg::solve(a, b);

// IWYU pragma: begin_exports
#include <minima/ops/linalg/factorisations.h>
#include <minima/ops/linalg/measures.h>
#include <minima/ops/linalg/powers.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/linalg/unchecked.h>
// IWYU pragma: end_exports
