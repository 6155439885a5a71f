#pragma once

/// All distributions, kl_divergence between them, and what they are made of.

// IWYU pragma: begin_exports
#include <minima/distributions/kl.h>
#include <minima/distributions/more/continuous.h>
#include <minima/distributions/more/counts.h>
#include <minima/distributions/multivariate/multivariate_normal.h>
#include <minima/distributions/student_t.h>
// IWYU pragma: end_exports
