#include "simulated/libraries/cublas_lt/multiply.h"

#include "simulated/libraries/cublas_lt/descriptors.h"
#include "simulated/libraries/cublas_lt/element.h"
#include "simulated/libraries/cublas_lt/problem.h"

#include <cublasLt.h>
#include <library_types.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace simulated {

namespace {

// A block of D is computed at a time; its factors are packed in the compute type so that the inner loops have constant
// lengths and read in order.
constexpr std::int64_t block_rows = 128, block_columns = 64, block_terms = 256;
constexpr int rows_at_once = 8, columns_at_once = 4;

/// A factor as op() shows it: element (line, term), where a line is a row of op(A) or a column of op(B).
struct Factor {
  const char* data;
  cudaDataType type;
  std::int64_t line_stride, term_stride;
  bool tf32;
};

Factor factor(const MatrixLayout& layout, const char* data, bool terms_are_columns, bool tf32) {
  const Strides strides = strides_of(layout);
  return {data, layout.type, terms_are_columns ? strides.row : strides.column,
          terms_are_columns ? strides.column : strides.row, tf32};
}

Factor factor_a(const Problem& p, const char* a) {
  return factor(p.a, a, p.operation.transpose_a == CUBLAS_OP_N, p.operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32);
}

Factor factor_b(const Problem& p, const char* b) {
  return factor(p.b, b, p.operation.transpose_b != CUBLAS_OP_N, p.operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32);
}

/// Lines in groups of `width`: [group][term][line within it], the last group filled up with 0.
template <int width, class C>
void pack(const Factor& x, std::int64_t first_line, std::int64_t lines, std::int64_t first_term, std::int64_t terms,
          C* to) {
  visit_type(x.type, [&]<class T>(T) {
    const T* const data = reinterpret_cast<const T*>(x.data);
    for (std::int64_t group = 0; group < lines; group += width)
      for (std::int64_t i = 0; i < width; ++i) {
        C* target = to + group * terms + i;
        const T* source = data + (first_line + group + i) * x.line_stride + first_term * x.term_stride;
        for (std::int64_t k = 0; k < terms; ++k, target += width) {
          if (group + i >= lines) *target = 0;
          else {
            const double value = to_double(source[k * x.term_stride]);
            *target = static_cast<C>(x.tf32 ? to_tf32(value) : value);
          }
        }
      }
  });
}

/// sums [columns_at_once][rows_at_once] += the products of two groups of lines.
template <class C> void multiply_group(const C* a, const C* b, std::int64_t terms, C* sums, std::int64_t ld) {
  C all[columns_at_once][rows_at_once] = {};
  for (std::int64_t k = 0; k < terms; ++k, a += rows_at_once, b += columns_at_once)
    for (int j = 0; j < columns_at_once; ++j)
      for (int i = 0; i < rows_at_once; ++i) all[j][i] += a[i] * b[j];
  for (int j = 0; j < columns_at_once; ++j)
    for (int i = 0; i < rows_at_once; ++i) sums[j * ld + i] += all[j][i];
}

struct Block {
  std::int64_t row, rows, column, columns;
};

/// Adds terms [first, last) of a block to sums, columns of block_rows, in the compute type C.
template <class C> class Multiplier {
 public:
  Multiplier()
      : a_(static_cast<std::size_t>(block_rows * block_terms)),
        b_(static_cast<std::size_t>(block_columns * block_terms)) {}

  void run(const Factor& a, const Factor& b, const Block& block, std::int64_t first, std::int64_t last, C* sums) {
    for (std::int64_t term = first; term < last; term += block_terms) {
      const std::int64_t terms = std::min(block_terms, last - term);
      pack<rows_at_once>(a, block.row, block.rows, term, terms, a_.data());
      pack<columns_at_once>(b, block.column, block.columns, term, terms, b_.data());
      for (std::int64_t j = 0; j < block.columns; j += columns_at_once)
        for (std::int64_t i = 0; i < block.rows; i += rows_at_once)
          multiply_group(a_.data() + i * terms, b_.data() + j * terms, terms, sums + j * block_rows + i, block_rows);
    }
  }

 private:
  std::vector<C> a_, b_;
};

/// Calls visit(batch, block) for all blocks.
template <class Visit> void visit_blocks(const Problem& p, const Visit& visit) {
  for (std::int64_t batch = 0; batch < p.d.batch; ++batch)
    for (std::int64_t column = 0; column < p.n; column += block_columns)
      for (std::int64_t row = 0; row < p.m; row += block_rows)
        visit(batch, Block{row, std::min(block_rows, p.m - row), column, std::min(block_columns, p.n - column)});
}

template <class Pointer> Pointer at(Pointer data, const MatrixLayout& layout, std::int64_t batch) {
  return data + batch * layout.batch_stride * static_cast<std::int64_t>(bytes_of(layout.type));
}

/// 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))).
double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

double gelu_slope(double x) {
  const double factor = std::sqrt(2 / std::numbers::pi), t = std::tanh(factor * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * factor * (1 + 3 * 0.044715 * x * x);
}

/// D = epilogue(alpha · sums + beta · C). D's rows are added to `rows`, if it has any.
template <class C>
void store(const Problem& p, const ProductOperands& by, std::int64_t batch, const Block& block, const C* sums,
           std::vector<double>& rows) {
  const Strides of_c = strides_of(p.c), of_d = strides_of(p.d);
  visit_type(p.d.type, [&]<class T>(T) {
    const T* const c = reinterpret_cast<const T*>(at(by.c, p.c, batch));
    T* const d = reinterpret_cast<T*>(at(by.d, p.d, batch));
    const T* const bias = p.has_bias() ? static_cast<const T*>(p.operation.bias) : nullptr;
    T* const aux = p.has_aux() ? static_cast<T*>(p.operation.aux) : nullptr;
    for (std::int64_t j = block.column; j < block.column + block.columns; ++j)
      for (std::int64_t i = block.row; i < block.row + block.rows; ++i) {
        double value = by.alpha * static_cast<double>(sums[(j - block.column) * block_rows + i - block.row]);
        if (by.beta != 0) value += by.beta * to_double(c[i * of_c.row + j * of_c.column]);
        if (bias) value += to_double(bias[i]);
        if (p.has_gelu_gradient()) value *= gelu_slope(to_double(aux[i + j * p.operation.aux_ld]));
        else if (aux) {
          T& saved = aux[i + j * p.operation.aux_ld] = to_element<T>(value);
          value = to_double(saved);  // a second kernel may apply gelu to what the first one has saved
        }
        if (!rows.empty()) rows[static_cast<std::size_t>(i)] += value;
        if (p.has_relu()) value = value > 0 || std::isnan(value) ? value : 0;
        if (p.has_gelu()) value = gelu(value);
        d[i * of_d.row + j * of_d.column] = to_element<T>(value);
      }
  });
}

/// The sums of a bias gradient: of op(A)'s rows, of op(B)'s columns or of D's rows before they were rounded.
void store_sums(const Problem& p, const ProductOperands& by, const std::vector<double>& rows) {
  if (p.sums_d())
    visit_type(p.d.type, [&]<class T>(T) {
      std::transform(rows.begin(), rows.end(), static_cast<T*>(p.operation.bias), to_element<T>);
    });
  if (!p.sums_a() && !p.sums_b()) return;
  const Factor from = p.sums_a() ? factor_a(p, by.a) : factor_b(p, by.b);
  visit_type(from.type, [&]<class X>(X) {
    visit_type(p.d.type, [&]<class T>(T) {
      const X* const x = reinterpret_cast<const X*>(from.data);
      T* const to = static_cast<T*>(p.operation.bias);
      for (std::int64_t line = 0; line < p.vector_length(); ++line) {
        double sum = 0;
        for (std::int64_t k = 0; k < p.k; ++k) sum += to_double(x[line * from.line_stride + k * from.term_stride]);
        to[line] = to_element<T>(sum);
      }
    });
  });
}

/// The place of a part of a block's column in the workspace, in elements.
std::int64_t place_in_workspace(const Problem& p, int part, std::int64_t batch, std::int64_t row, std::int64_t column) {
  return ((part * p.d.batch + batch) * p.n + column) * p.m + row;
}

template <class Visit> void visit_compute_type(const Problem& p, const Visit& visit) {
  if (p.operation.compute == CUBLAS_COMPUTE_64F) visit(double());
  else visit(float());
}

}  // namespace

void multiply(const Problem& p, const ProductOperands& by) {
  std::vector<double> rows(p.sums_d() ? static_cast<std::size_t>(p.m) : 0);
  visit_compute_type(p, [&]<class C>(C) {
    Multiplier<C> multiplier;
    visit_blocks(p, [&](std::int64_t batch, const Block& block) {
      std::vector<C> sums(static_cast<std::size_t>(block_rows * block_columns));
      multiplier.run(factor_a(p, at(by.a, p.a, batch)), factor_b(p, at(by.b, p.b, batch)), block, 0, p.k, sums.data());
      store(p, by, batch, block, sums.data(), rows);
    });
  });
  store_sums(p, by, rows);
}

void multiply_parts(const Problem& p, const ProductOperands& by, int parts, bool rounds) {
  const auto kept = [&]<class C>(C sum) {
    if (rounds) visit_type(p.d.type, [&]<class T>(T) { sum = static_cast<C>(to_double(to_element<T>(sum))); });
    return sum;
  };
  visit_compute_type(p, [&]<class C>(C) {
    Multiplier<C> multiplier;
    C* const workspace = reinterpret_cast<C*>(by.parts);
    visit_blocks(p, [&](std::int64_t batch, const Block& block) {
      for (int part = 0; part < parts; ++part) {
        std::vector<C> sums(static_cast<std::size_t>(block_rows * block_columns));
        multiplier.run(factor_a(p, at(by.a, p.a, batch)), factor_b(p, at(by.b, p.b, batch)), block, p.k * part / parts,
                       p.k * (part + 1) / parts, sums.data());
        for (std::int64_t j = 0; j < block.columns; ++j)
          for (std::int64_t i = 0; i < block.rows; ++i)
            workspace[place_in_workspace(p, part, batch, block.row + i, block.column + j)] =
                kept(sums[static_cast<std::size_t>(j * block_rows + i)]);
      }
    });
  });
}

void add_parts(const Problem& p, const ProductOperands& by, int parts) {
  std::vector<double> no_rows;
  visit_compute_type(p, [&]<class C>(C) {
    const C* const workspace = reinterpret_cast<const C*>(by.parts);
    visit_blocks(p, [&](std::int64_t batch, const Block& block) {
      std::vector<C> sums(static_cast<std::size_t>(block_rows * block_columns));
      for (int part = 0; part < parts; ++part)
        for (std::int64_t j = 0; j < block.columns; ++j)
          for (std::int64_t i = 0; i < block.rows; ++i)
            sums[static_cast<std::size_t>(j * block_rows + i)] +=
                workspace[place_in_workspace(p, part, batch, block.row + i, block.column + j)];
      store(p, by, batch, block, sums.data(), no_rows);
    });
  });
}

}  // namespace simulated
