#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace simulated {

/// The kinds of work that a GPU does. A mark is only a place in the order and costs nothing.
enum class WorkKind : std::uint8_t { mark, kernel, product, convolution, attention, transform, collective, copy, fill };

/// The rate of a GPU that bounds the arithmetic.
enum class Arithmetic : std::uint8_t { float64, float32, tf32, half };

/// The cost of a piece of work: who submits it fills this in, `seconds_of` (time_model.h) turns it into a time, and the
/// census adds it up.
///
///     machine.submit(stream, {.name = "cublasLtMatmul", .device = 0, .accesses = …,
///                             .cost = {.kind = WorkKind::product, .arithmetic = Arithmetic::half,
///                                      .flops = 2.0 * m * n * k, .bytes_read = 2.0 * (m * k + k * n),
///                                      .bytes_written = 2.0 * m * n, .blocks = batch * tiles(m, 128) * tiles(n, 256)},
///                             .run = …});
struct Cost {
  WorkKind kind = WorkKind::mark;
  Arithmetic arithmetic = Arithmetic::float32;
  double flops = 0;
  double bytes_read = 0, bytes_written = 0;  ///< of the GPU's memory, each operand once
  double link_bytes = 0;                     ///< over PCIe or NVLink
  double rate = 1;                           ///< the most that it can reach of the rate of large products
  double blocks = 0;             ///< thread blocks of a kernel, output tiles × split of a library's; 0: not known
  unsigned threads = 0;          ///< per block; 0 for a library's
  std::size_t shared_bytes = 0;  ///< per block
  int registers = 0;             ///< per thread; 0: not known
  double in_flight = 4;          ///< bytes that a thread of a kernel loads before it needs the first of them
  double sectors = 1;            ///< bytes of the sectors that warps ask for, for each of these bytes
  double issue_slots = 0;        ///< 32 × the instructions of warps; 0: not known
  bool counted = true;           ///< whether the last four are a kernel's own counts; false: assumed
  std::string plan{};            ///< a library's plan or algorithm
  std::string fallback{};        ///< why a slower path runs; empty if none does

  /// The bytes read and written.
  double bytes() const { return bytes_read + bytes_written; }
};

/// The operator and the module that asked for work: set_label (census/census.h) sets it; it is empty elsewhere.
struct Label {
  std::string op{};      ///< the operator, or the one whose gradient this is
  std::string module{};  ///< the path of the module that called it
  bool backward = false;
};

}  // namespace simulated
