#include "darcy.h"

#include <minima/tensor/threads/parallel.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include <numbers>
#include <vector>

using namespace minima;

namespace {

using Matrix = Eigen::SparseMatrix<double>;

constexpr double permeable = 12, tight = 3, source_strength = 100;

/// Σ ξ(k, l) / (π²(k² + l²) + 9) · cos(πkx) cos(πly) at the cells' centres, with normal ξ and without a constant.
Tensor random_fields(std::int64_t count, std::int64_t size, RandomGenerator& generator) {
  const TensorOptions doubles{.dtype = float64};
  const Tensor wave = arange(size).to(float64) * std::numbers::pi;
  const Tensor centre = (arange(size).to(float64) + 0.5) / size;
  const Tensor cosines = cos(outer(centre, wave));
  const Tensor frequency = unsqueeze(square(wave), 1) + square(wave);
  const Tensor decay = where(frequency > 0, 1 / (frequency + 9), 0);
  const Tensor waves = randn({count, size, size}, doubles, &generator) * decay;
  return matmul(matmul(cosines, waves), transpose(cosines, 0, 1));
}

/// The pressure in each cell. The flow between neighbours meets the resistance of half of either cell; a border is half
/// a cell away.
void solve(const double* a, std::int64_t size, double* u) {
  const std::int64_t cells = size * size;
  std::vector<Eigen::Triplet<double>> entries;
  const auto flow = [&](std::int64_t cell, std::int64_t row, std::int64_t column) {
    if (row < 0 || row >= size || column < 0 || column >= size) {
      entries.emplace_back(cell, cell, 2 * a[cell]);
      return;
    }
    const std::int64_t other = row * size + column;
    const double conductance = 2 * a[cell] * a[other] / (a[cell] + a[other]);
    entries.emplace_back(cell, cell, conductance);
    entries.emplace_back(cell, other, -conductance);
  };
  for (std::int64_t row = 0; row < size; ++row)
    for (std::int64_t column = 0; column < size; ++column) {
      const std::int64_t cell = row * size + column;
      flow(cell, row - 1, column), flow(cell, row + 1, column);
      flow(cell, row, column - 1), flow(cell, row, column + 1);
    }
  Matrix matrix(cells, cells);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Matrix> factors(matrix);
  const Eigen::VectorXd source = Eigen::VectorXd::Constant(cells, source_strength / static_cast<double>(cells));
  Eigen::Map<Eigen::VectorXd>(u, cells) = factors.solve(source);
}

}  // namespace

DarcyFields make_darcy_fields(std::int64_t count, std::int64_t size, std::uint64_t seed) {
  RandomGenerator generator(seed);
  const Tensor a = where(random_fields(count, size, generator) > 0, permeable, tight).to(float64);
  const Tensor u = empty({count, size, size}, {.dtype = float64});
  const double* const from = a.data<double>();
  double* const to = u.data<double>();
  parallel_for(0, count, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) solve(from + i * size * size, size, to + i * size * size);
  });
  return {unsqueeze(a.to(float32), 1), unsqueeze(u.to(float32), 1)};
}
