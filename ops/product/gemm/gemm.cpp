#include <minima/ops/product/gemm/gemm.h>
#include <minima/tensor/settings.h>

#include <minima/ops/core/on_cuda.h>
#include <minima/ops/loops/elements.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/product/gemm/engine.h>
#include <minima/ops/product/gemm/gemm_block.h>
#include <minima/ops/product/gemm/half_block.h>
#include <minima/ops/product/gemm/one_thread.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/half.h>
#include <minima/tensor/memory/cpu/with_memory.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

bool has_half(const Gemm& gemm) { return gemm.a.half != HalfType::none || gemm.b.half != HalfType::none; }

struct BlockSides {
  std::int64_t rows, columns;
};

/// The most in a part of `count`, if parts are of nearly the same size, so that threads end together.
std::int64_t even_part(std::int64_t count, std::int64_t parts, std::int64_t granularity) {
  return std::min(count, divide_up(divide_up(count, parts), granularity) * granularity);
}

/// The sides of C's blocks when `products` of them run at once. The larger a block, the less repacking its operands
/// costs: two per thread let threads share the work if other programs slow one down. By the sizes alone, sixteen per
/// product, under deterministic(true).
BlockSides block_sides(const Gemm& gemm, std::int64_t products) {
  constexpr std::int64_t least = 128, row_granularity = 8, column_granularity = 16;  // whole tiles of kernels
  const bool is_finished = gemm.c_dtype != gemm.dtype || gemm.epilogue.bias || gemm.epilogue.pre_activation ||
                           gemm.epilogue.activation != Activation::none;
  const std::int64_t most = std::int64_t{1} << (is_finished ? 19 : 20);  // a block to finish stays in the cache
  const std::int64_t wanted = is_deterministic() ? 16 : divide_up(2 * num_threads(), products);
  BlockSides sides{gemm.m, gemm.n};
  if (has_half(gemm) && !widens_in_registers(gemm.m, gemm.b))
    sides = {even_part(gemm.m, divide_up(gemm.m, most_half_rows), row_granularity),
             even_part(gemm.n, divide_up(gemm.n, most_half_columns(gemm.b)), column_granularity)};
  while (sides.rows * sides.columns > most ||
         divide_up(gemm.m, sides.rows) * divide_up(gemm.n, sides.columns) < wanted) {
    if (std::max(sides.rows, sides.columns) <= least) break;
    if (sides.columns >= sides.rows)
      sides.columns = even_part(gemm.n, 2 * divide_up(gemm.n, sides.columns), column_granularity);
    else sides.rows = even_part(gemm.m, 2 * divide_up(gemm.m, sides.rows), row_granularity);
  }
  return sides;
}

/// The place of row i and column j of op(X) in its storage.
std::int64_t place_of(const GemmOperand& operand, std::int64_t i, std::int64_t j) {
  return operand.transposed ? j * operand.ld + i : i * operand.ld + j;
}

/// An operand of a product with half types, from the element at `place` on.
HalfOperand half_operand_at(const void* data, const GemmOperand& operand, std::int64_t place) {
  const auto size = static_cast<std::int64_t>(operand.half == HalfType::none ? sizeof(float) : sizeof(Float16));
  return {static_cast<const char*>(data) + place * size, operand};
}

template <class T>
class Product {
 public:
  Product(const Gemm& gemm, Engine engine, BlockSides sides)
      : gemm_(gemm),
        engine_(engine),
        rows_(sides.rows),
        columns_(gemm.b.panel > 0 ? gemm.b.panel : sides.columns),
        grid_columns_(divide_up(gemm.n, columns_)) {}

  std::int64_t blocks() const { return divide_up(gemm_.m, rows_) * grid_columns_; }

  void run_block(const GemmPointers& pointers, std::int64_t index) const {
    const std::int64_t i = index / grid_columns_ * rows_, j = index % grid_columns_ * columns_;
    const std::int64_t m = std::min(rows_, gemm_.m - i), n = std::min(columns_, gemm_.n - j);
    const std::int64_t place = i * gemm_.ldc + j;
    if (gemm_.c_dtype == dtype_of<T>) {
      const Block<T> block{static_cast<T*>(pointers.c) + place, m, n, gemm_.ldc};
      multiply(pointers, i, j, block);
      finish(block, place, j);
      return;
    }
    static thread_local std::vector<T> scratch;  // a block at most
    with_memory("a matrix product", [&] { scratch.resize(static_cast<std::size_t>(m * n)); });
    const Block<T> block{scratch.data(), m, n, n};
    if (gemm_.accumulate) load(block, pointers.c, place);
    multiply(pointers, i, j, block);
    finish(block, place, j);
    store(block, pointers.c, place);
  }

 private:
  void multiply(const GemmPointers& pointers, std::int64_t i, std::int64_t j, const Block<T>& c) const {
    if (gemm_.k == 0) {
      for (std::int64_t row = 0; row < c.rows && !gemm_.accumulate; ++row)
        std::fill_n(c.data + row * c.ld, c.columns, T(0));
      return;
    }
    const std::int64_t a_place = place_of(gemm_.a, i, 0);
    const std::int64_t b_place = gemm_.b.panel > 0 ? j * gemm_.k : place_of(gemm_.b, 0, j);
    if constexpr (dtype_of<T> == DType::float32) {
      if (has_half(gemm_))
        return half_block(engine_, {c.rows, c.columns, gemm_.k, half_operand_at(pointers.a, gemm_.a, a_place),
                                    half_operand_at(pointers.b, gemm_.b, b_place), c.data, c.ld, gemm_.accumulate});
    }
    gemm_block<T>(engine_, {c.rows, c.columns, gemm_.k, static_cast<const T*>(pointers.a) + a_place, gemm_.a.ld,
                            gemm_.a.transposed, static_cast<const T*>(pointers.b) + b_place, gemm_.b.ld,
                            gemm_.b.transposed, c.data, c.ld, gemm_.accumulate ? Into::add : Into::assign});
  }

  void finish(const Block<T>& block, std::int64_t place, std::int64_t column) const {
    const GemmEpilogue& epilogue = gemm_.epilogue;
    if (epilogue.bias) add_bias(block, static_cast<const T*>(epilogue.bias) + column);
    if (epilogue.pre_activation) store(block, epilogue.pre_activation, place);
    activate(block, epilogue.activation);
  }

  char* row_of(void* matrix, std::int64_t element) const {
    return static_cast<char*>(matrix) + element * static_cast<std::int64_t>(size_of(gemm_.c_dtype));
  }

  void load(const Block<T>& block, void* matrix, std::int64_t place) const {
    const auto convert = pointwise::converter(dtype_of<T>, gemm_.c_dtype);
    for (std::int64_t i = 0; i < block.rows; ++i)
      convert(block.data + i * block.ld, row_of(matrix, place + i * gemm_.ldc), block.columns);
  }

  void store(const Block<T>& block, void* matrix, std::int64_t place) const {
    const auto convert = pointwise::converter(gemm_.c_dtype, dtype_of<T>);
    for (std::int64_t i = 0; i < block.rows; ++i) {
      const T* from = block.data + i * block.ld;
      char* to = row_of(matrix, place + i * gemm_.ldc);
      if (convert) convert(to, from, block.columns);
      else std::memcpy(to, from, static_cast<std::size_t>(block.columns) * sizeof(T));
    }
  }

  const Gemm& gemm_;
  Engine engine_;
  std::int64_t rows_, columns_, grid_columns_;
};

/// A half matrix times a single column, which is stored as a row is: so the matrix can be B, of which one row needs no
/// widened part.
bool is_column_of_half(const Gemm& gemm) {
  return gemm.n == 1 && gemm.m > 1 && gemm.ldc == 1 && gemm.a.half != HalfType::none && gemm.b.panel == 0 &&
         !gemm.epilogue.bias;
}

/// Cᵀ = Bᵀ·Aᵀ
Gemm as_row(Gemm gemm) {
  std::swap(gemm.m, gemm.n);
  std::swap(gemm.a, gemm.b);
  gemm.a.transposed = !gemm.a.transposed;
  gemm.b.transposed = !gemm.b.transposed;
  gemm.ldc = gemm.n;
  return gemm;
}

template <class T>
void run(const Gemm& gemm, std::span<const GemmPointers> batch, Engine engine) {
  const Product<T> product(gemm, engine, block_sides(gemm, static_cast<std::int64_t>(batch.size())));
  const std::int64_t blocks = product.blocks();
  constexpr double flops_per_nanosecond = 50;
  const double block_cost = gemm.flops() / static_cast<double>(blocks) / flops_per_nanosecond;
  parallel_for(0, static_cast<std::int64_t>(batch.size()) * blocks, grain_for(std::max(block_cost, 50.0)),
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i)
                   product.run_block(batch[static_cast<std::size_t>(i / blocks)], i % blocks);
               });
}

}  // namespace

void run_gemm(const Gemm& gemm, std::span<const GemmPointers> batch) {
  if (gemm.m == 0 || gemm.n == 0 || batch.empty()) return;
  if constexpr (has_cuda_kernels)
    if (gemm.on_cuda) return run_gemm_cuda(gemm, batch);
  if (is_column_of_half(gemm)) {
    std::vector<GemmPointers> rows(batch.begin(), batch.end());
    for (GemmPointers& row : rows) std::swap(row.a, row.b);
    return run_gemm(as_row(gemm), rows);
  }
  const Engine engine = is_library_closed() ? Engine::eigen : engine_for(gemm.dtype);
  report_engine_call(engine);
  if (gemm.dtype == DType::float32) return run<float>(gemm, batch, engine);
  if (gemm.dtype == DType::float64) return run<double>(gemm, batch, engine);
  throw DTypeError(str("gemm: cannot compute in ", gemm.dtype));
}

}  // namespace minima::detail
