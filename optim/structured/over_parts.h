#pragma once

#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// Optimizers that compute with whole tensors, where processes have parts of them (optim/update/parts.h): they add up
// sums over the parts, or let one process compute with the whole.

namespace minima::optim::detail {

/// Adds up values[i], a floating tensor of any shape, in place over the processes that have parts of parameters[i].
/// Values of whole parameters stay as they are. Takes one reduction for each dtype.
void sum_over_parts(const std::vector<Tensor>& parameters, const std::vector<Tensor>& values);

/// Divides tasks among processes, so that the largest sum of costs is small: the most expensive first, each to the
/// process with the least to do (Graham 1969: at most 4/3 of the least possible). Ties go to the lower index.
MINIMA_API std::vector<int> balanced(const std::vector<double>& costs, int size);
/// A process and how much it has of what a task needs.
struct Holding {
  int process;
  std::int64_t elements;
};
/// Divides tasks so that the largest sum of costs is at most that of balanced(costs, size), and gives each, where that
/// allows it, to the process that has the most of what the task needs, so that little has to be sent.
MINIMA_API std::vector<int> balanced(const std::vector<double>& costs, const std::vector<std::vector<Holding>>& held,
                                     int size);
/// Returns this process's parts of f(i, X), a tensor of X's shape and dtype, where parts[i] is its part of X, a tensor
/// like parameters[i]. All parameters must have parts. Each X is computed by one process, chosen by balanced(): it
/// gets X from the others and sends them their parts of the result.
std::vector<Tensor> compute_whole(const std::vector<Tensor>& parameters, const std::vector<Tensor>& parts,
                                  const std::vector<double>& costs,
                                  const Function<Tensor(std::size_t i, const Tensor& whole)>& f);

}  // namespace minima::optim::detail
