#include <minima/distributions/multivariate/triangular.h>

#include <minima/ops/ops.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <vector>

namespace minima::distributions::detail {

Tensor cholesky_factor(const Tensor& symmetric) {
  const Tensor a = 0.5 * (symmetric + transpose(symmetric, -2, -1));  // so that the gradient is symmetric
  const std::int64_t size = a.size(-1);
  std::vector<Tensor> columns;
  for (std::int64_t j = 0; j < size; ++j) {
    Tensor column = select(a, -1, j);
    if (j > 0) {
      const Tensor before = stack(columns, -1);  // [..., D, j]
      column = column - squeeze(matmul(before, unsqueeze(select(before, -2, j), -1)), -1);
    }
    const Tensor pivot = sqrt(narrow(column, -1, j, 1));
    const Tensor zero = zeros_like(narrow(column, -1, 0, j).detach());
    columns.push_back(cat({zero, narrow(column, -1, j, size - j) / pivot}, -1));
  }
  return stack(columns, -1);
}

Tensor solve_lower(const Tensor& lower, const Tensor& b) {
  const std::int64_t size = lower.size(-1);
  std::vector<Tensor> rows;
  for (std::int64_t i = 0; i < size; ++i) {
    Tensor row = narrow(b, -2, i, 1);
    if (i > 0) row = row - matmul(narrow(narrow(lower, -2, i, 1), -1, 0, i), cat(rows, -2));
    rows.push_back(row / narrow(narrow(lower, -2, i, 1), -1, i, 1));
  }
  return cat(rows, -2);
}

}  // namespace minima::distributions::detail
