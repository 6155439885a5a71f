#pragma once

#include <minima/ops/loops/math/math.h>
#include <minima/ops/recurrent/recurrent_layer.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <type_traits>

// One element of a recurrent network's step, for both devices. x and u hold, per block of the gates, the input's part
// and the hidden state's part of the sum before the activation.

namespace minima::detail {

template <RecurrentKind> struct RecurrentCell;

/// Holds the gradients that flow back through an element of a step.
template <class T>
struct CellGradient {
  T by_x[4];  ///< of the sums, through x
  T by_u[4];  ///< of the sums, through u
  T by_c;     ///< lstm: of the old cell state
  T carried;  ///< gru: of the old hidden state, past the product with w_hh
};

/// The values of an element that the step saved. `c` and `y` are after the step, the others before it.
template <class T>
struct CellValues {
  T saved[4];
  T c, c_before, h_before, y;
};

template <>
struct RecurrentCell<RecurrentKind::rnn_tanh> {
  template <class T> static MINIMA_MATH T forward(const T* x, const T* u, T, T&, T*) { return math::tanh(x[0] + u[0]); }
  template <class T> static MINIMA_MATH CellGradient<T> backward(T g, T, const CellValues<T>& v) {
    return {{g * (1 - v.y * v.y)}, {}, 0, 0};
  }
};

template <>
struct RecurrentCell<RecurrentKind::rnn_relu> {
  template <class T> static MINIMA_MATH T forward(const T* x, const T* u, T, T&, T*) {
    return math::max(x[0] + u[0], T(0));
  }
  template <class T> static MINIMA_MATH CellGradient<T> backward(T g, T, const CellValues<T>& v) {
    return {{math::select(v.y <= 0, T(0), g)}, {}, 0, 0};
  }
};

template <>
struct RecurrentCell<RecurrentKind::lstm> {
  template <class T> static MINIMA_MATH T forward(const T* x, const T* u, T, T& c, T* saved) {
    const T i = math::sigmoid(x[0] + u[0]), f = math::sigmoid(x[1] + u[1]), g = math::tanh(x[2] + u[2]),
            o = math::sigmoid(x[3] + u[3]);
    saved[0] = i, saved[1] = f, saved[2] = g, saved[3] = o;
    c = f * c + i * g;
    return o * math::tanh(c);
  }
  template <class T> static MINIMA_MATH CellGradient<T> backward(T gh, T gc, const CellValues<T>& v) {
    const T i = v.saved[0], f = v.saved[1], g = v.saved[2], o = v.saved[3], bent = math::tanh(v.c);
    const T by_c = gc + gh * o * (1 - bent * bent);
    return {{by_c * g * i * (1 - i), by_c * v.c_before * f * (1 - f), by_c * i * (1 - g * g), gh * bent * o * (1 - o)},
            {},
            by_c * f,
            0};
  }
};

/// Saved are r, z, n and u's block of n.
template <>
struct RecurrentCell<RecurrentKind::gru> {
  template <class T> static MINIMA_MATH T forward(const T* x, const T* u, T h, T&, T* saved) {
    const T r = math::sigmoid(x[0] + u[0]), z = math::sigmoid(x[1] + u[1]), n = math::tanh(x[2] + r * u[2]);
    saved[0] = r, saved[1] = z, saved[2] = n, saved[3] = u[2];
    return (1 - z) * n + z * h;
  }
  template <class T> static MINIMA_MATH CellGradient<T> backward(T g, T, const CellValues<T>& v) {
    const T r = v.saved[0], z = v.saved[1], n = v.saved[2];
    const T by_n = g * (1 - z) * (1 - n * n), by_r = by_n * v.saved[3] * r * (1 - r),
            by_z = g * (v.h_before - n) * z * (1 - z);
    return {{by_r, by_z, by_n}, {by_r, by_z, by_n * r}, 0, g * z};
  }
};

/// Rows of a matrix of S; those of an undefined tensor are null.
template <class S>
struct RecurrentRows {
  S* data = nullptr;
  std::int64_t stride = 0;
  MINIMA_HD S* at(std::int64_t row) const { return data + row * stride; }
};

/// The memory of a RecurrentStep, H elements wide, and its elements. T is the type that they compute in.
template <class S, class T, RecurrentKind kind>
struct RecurrentStepRows {
  using Cell = RecurrentCell<kind>;
  static constexpr int gates = gates_of(kind), kept = saved_of(kind);
  std::int64_t width;
  RecurrentRows<const S> x, u;
  RecurrentRows<S> saved, cells, c;
  RecurrentRows<const S> before;
  RecurrentRows<S> h, y;

  /// `recorded`: whether to write saved and cells.
  template <bool recorded> MINIMA_MATH void run(std::int64_t row, std::int64_t j) const {
    T sums[gates], by_state[gates], values[4];
    for (int k = 0; k < gates; ++k) {
      sums[k] = static_cast<T>(x.at(row)[k * width + j]);
      by_state[k] = static_cast<T>(u.at(row)[k * width + j]);
    }
    T cell = 0, old = 0;
    if constexpr (kind == RecurrentKind::lstm) cell = static_cast<T>(c.at(row)[j]);
    if constexpr (kind == RecurrentKind::gru) old = static_cast<T>(before.at(row)[j]);
    const S result = static_cast<S>(Cell::forward(sums, by_state, old, cell, values));
    h.at(row)[j] = result;
    y.at(row)[j] = result;
    if constexpr (kind == RecurrentKind::lstm) {
      c.at(row)[j] = static_cast<S>(cell);
      if constexpr (recorded) cells.at(row)[j] = static_cast<S>(cell);
    }
    if constexpr (recorded)
      for (int k = 0; k < kept; ++k) saved.at(row)[k * width + j] = static_cast<S>(values[k]);
  }
};

/// The same for a RecurrentStepGradient.
template <class S, class T, RecurrentKind kind>
struct RecurrentGradientRows {
  using Cell = RecurrentCell<kind>;
  static constexpr int gates = gates_of(kind), kept = saved_of(kind);
  static constexpr bool is_lstm = kind == RecurrentKind::lstm, is_gru = kind == RecurrentKind::gru;
  std::int64_t width;
  RecurrentRows<const S> of_y, of_h, saved, c, c_before, h_before, y;
  RecurrentRows<S> of_c, carried, of_x, of_u;

  MINIMA_MATH void run(std::int64_t row, std::int64_t j) const {
    CellValues<T> values{};
    for (int k = 0; k < kept; ++k) values.saved[k] = static_cast<T>(saved.at(row)[k * width + j]);
    T g = static_cast<T>(of_y.at(row)[j]) + static_cast<T>(of_h.at(row)[j]), by_cell = 0;
    if constexpr (is_lstm) {
      values.c = static_cast<T>(c.at(row)[j]);
      values.c_before = static_cast<T>(c_before.at(row)[j]);
      by_cell = static_cast<T>(of_c.at(row)[j]);
    } else if constexpr (is_gru) {
      values.h_before = static_cast<T>(h_before.at(row)[j]);
      g += static_cast<T>(carried.at(row)[j]);
    } else {
      values.y = static_cast<T>(y.at(row)[j]);
    }
    const CellGradient<T> gradient = Cell::backward(g, by_cell, values);
    for (int k = 0; k < gates; ++k) of_x.at(row)[k * width + j] = static_cast<S>(gradient.by_x[k]);
    if constexpr (is_lstm) of_c.at(row)[j] = static_cast<S>(gradient.by_c);
    if constexpr (is_gru) {
      carried.at(row)[j] = static_cast<S>(gradient.carried);
      for (int k = 0; k < gates; ++k) of_u.at(row)[k * width + j] = static_cast<S>(gradient.by_u[k]);
    }
  }
};

/// The rows of a step's tensors.
template <class S> RecurrentRows<S> rows_of(const Tensor& x) {
  if (!x.defined()) return {};
  return {x.data<std::remove_const_t<S>>(), x.strides()[0]};
}
template <class S, class T, RecurrentKind kind>
RecurrentStepRows<S, T, kind> memory_of(const RecurrentStep& s) {
  return {s.y.size(1),     rows_of<const S>(s.x),      rows_of<const S>(s.u), rows_of<S>(s.saved), rows_of<S>(s.cells),
          rows_of<S>(s.c), rows_of<const S>(s.before), rows_of<S>(s.h),       rows_of<S>(s.y)};
}
template <class S, class T, RecurrentKind kind>
RecurrentGradientRows<S, T, kind> memory_of(const RecurrentStepGradient& s) {
  return {s.of_h.size(1),        rows_of<const S>(s.of_y),     rows_of<const S>(s.of_h),     rows_of<const S>(s.saved),
          rows_of<const S>(s.c), rows_of<const S>(s.c_before), rows_of<const S>(s.h_before), rows_of<const S>(s.y),
          rows_of<S>(s.of_c),    rows_of<S>(s.carried),        rows_of<S>(s.of_x),           rows_of<S>(s.of_u)};
}

/// Calls f.template operator()<kind>() for the kind.
template <class F>
void with_kind(RecurrentKind kind, F&& f) {
  switch (kind) {
    case RecurrentKind::rnn_tanh: return f.template operator()<RecurrentKind::rnn_tanh>();
    case RecurrentKind::rnn_relu: return f.template operator()<RecurrentKind::rnn_relu>();
    case RecurrentKind::lstm: return f.template operator()<RecurrentKind::lstm>();
    case RecurrentKind::gru: return f.template operator()<RecurrentKind::gru>();
  }
}

}  // namespace minima::detail
