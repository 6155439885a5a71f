#pragma once

/// All distributions, kl_divergence between them, and what they are made of.

// IWYU pragma: begin_exports
#include <minima/distributions/composed/mixture.h>
#include <minima/distributions/composed/relaxed.h>
#include <minima/distributions/composed/transformed.h>
#include <minima/distributions/continuous/bounded.h>
#include <minima/distributions/continuous/extreme_value.h>
#include <minima/distributions/continuous/half_normal.h>
#include <minima/distributions/continuous/heavy_tails.h>
#include <minima/distributions/continuous/ratios.h>
#include <minima/distributions/continuous/student_t.h>
#include <minima/distributions/discrete/counts.h>
#include <minima/distributions/kl.h>
#include <minima/distributions/kl_families.h>
#include <minima/distributions/multivariate/low_rank_multivariate_normal.h>
#include <minima/distributions/multivariate/multivariate_normal.h>
#include <minima/distributions/multivariate/wishart.h>
#include <minima/distributions/transforms/combined.h>
#include <minima/distributions/transforms/elementwise.h>
#include <minima/distributions/transforms/joined.h>
#include <minima/distributions/transforms/vectors.h>
// IWYU pragma: end_exports
