#include <torch/utils.h>

#include <ATen/ATen.h>

namespace torch {

bool equal_if_defined(const Tensor& a, const Tensor& b) {
  return a.defined() && b.defined() ? at::equal(a, b) : a.defined() == b.defined();
}

}  // namespace torch
