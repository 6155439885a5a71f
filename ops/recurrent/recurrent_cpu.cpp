#include <minima/ops/recurrent/recurrent_cell.h>
#include <minima/ops/recurrent/recurrent_layer.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <cstdint>

namespace minima::detail {

namespace {

/// Nanoseconds per element of a step.
constexpr double cost = 5;

template <class F>
void for_rows(std::int64_t rows, std::int64_t width, const F& f) {
  parallel_for(0, rows, grain_for(cost * static_cast<double>(width)), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) f(row);
  });
}

// The rows of different tensors overlap only where an element replaces itself.
template <bool recorded, class Rows>
void run_step(const Rows& rows, std::int64_t row) {
  MINIMA_IVDEP
  for (std::int64_t j = 0; j < rows.width; ++j) rows.template run<recorded>(row, j);
}

}  // namespace

void recurrent_step_cpu(const RecurrentStep& step) {
  with_kind(step.kind, [&]<RecurrentKind kind> {
    dispatch<full_floating>(step.y.dtype(), "recurrent_step", [&]<class T> {
      const auto rows = memory_of<T, T, kind>(step);
      for_rows(step.y.size(0), rows.width, [&](std::int64_t row) {
        if (step.saved.defined()) run_step<true>(rows, row);
        else run_step<false>(rows, row);
      });
    });
  });
}

void recurrent_step_gradient_cpu(const RecurrentStepGradient& step) {
  with_kind(step.kind, [&]<RecurrentKind kind> {
    dispatch<full_floating>(step.of_h.dtype(), "recurrent_step_gradient", [&]<class T> {
      const auto rows = memory_of<T, T, kind>(step);
      for_rows(step.of_h.size(0), rows.width, [&](std::int64_t row) {
        MINIMA_IVDEP
        for (std::int64_t j = 0; j < rows.width; ++j) rows.run(row, j);
      });
    });
  });
}

}  // namespace minima::detail
