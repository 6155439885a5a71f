#pragma once

// All operators' declarations.

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linear/linear.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/softmax/softmax.h>
#include <minima/ops/view/view.h>
