#include "simulated/libraries/cublas_lt/algorithm.h"

#include "simulated/libraries/cublas_lt/descriptors.h"
#include "simulated/libraries/cublas_lt/problem.h"
#include "simulated/machine/gpu_kind.h"

#include <cublasLt.h>
#include <library_types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace simulated {

namespace {

struct Packed {
  std::uint64_t mark;
  Algorithm algorithm;
  std::uint64_t signature;
};
static_assert(sizeof(Packed) <= sizeof(cublasLtMatmulAlgo_t));
constexpr std::uint64_t mark = 0x6c74'616c'676f'7269;

constexpr std::uint32_t vector_bytes = 16;

/// Tiles for whole vectors and for single elements, and sums over k in two, four or eight parts.
constexpr Algorithm all[] = {{66, 128, 1, vector_bytes},
                             {67, 128, 2, vector_bytes},
                             {68, 128, 4, vector_bytes},
                             {69, 128, 8, vector_bytes},
                             {70, 64, 1, vector_bytes},
                             {20, 64, 1, 1},
                             {21, 64, 4, 1}};

bool may_run(const Algorithm& algorithm, const Problem& p, const MatmulPreference& preference) {
  constexpr std::int64_t least = 32;  // of k in a part
  if (algorithm.splits > 1) {
    if (p.k < least * algorithm.splits || p.sums_a() || p.sums_b() || p.sums_d()) return false;
    if (!(preference.reduction_schemes &
          (CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE)))
      return false;
    if (algorithm.workspace(p) > preference.workspace) return false;
  }
  return algorithm.alignment <=
         std::min({alignment_of(p.a, preference.alignment_a), alignment_of(p.b, preference.alignment_b),
                   alignment_of(p.c, preference.alignment_c), alignment_of(p.d, preference.alignment_d)});
}

std::uint32_t largest_power_of_two(std::uint64_t value) {
  return value == 0 ? 256 : static_cast<std::uint32_t>(std::min<std::uint64_t>(value & (~value + 1), 256));
}

}  // namespace

std::uint32_t alignment_of(const void* address) {
  return largest_power_of_two(reinterpret_cast<std::uintptr_t>(address));
}

std::uint32_t alignment_of(const MatrixLayout& layout, std::uint32_t address) {
  const auto of = [&](std::int64_t elements) {
    return largest_power_of_two(static_cast<std::uint64_t>(elements) * bytes_of(layout.type));
  };
  return std::min({address, of(layout.ld), layout.batch > 1 ? of(layout.batch_stride) : 256});
}

std::size_t Algorithm::workspace(const Problem& p) const {
  if (splits == 1) return 0;
  const std::size_t element = p.operation.compute == CUBLAS_COMPUTE_64F ? 8 : 4;
  return workspace_header +
         static_cast<std::size_t>(splits) * static_cast<std::size_t>(p.m * p.n * p.d.batch) * element;
}

double Algorithm::waves(const Problem& p, const GpuKind& gpu) const {
  const auto tiles = [this](std::int64_t size) { return std::ceil(static_cast<double>(size) / tile); };
  return tiles(p.m) * tiles(p.n) * p.d.batch * splits / gpu.multiprocessors;
}

/// Small tiles and single elements reach a half and a quarter of the rate.
Cost Algorithm::cost(const Problem& p) const {
  const auto of = [](const MatrixLayout& x) {
    return static_cast<double>(x.rows) * static_cast<double>(x.columns) * x.batch *
           static_cast<double>(bytes_of(x.type));
  };
  const auto tiles = [this](std::int64_t size) { return std::ceil(static_cast<double>(size) / tile); };
  Cost result{.kind = WorkKind::product,
              .flops = p.flops(),
              .bytes_read = of(p.a) + of(p.b),
              .bytes_written = p.bytes() - of(p.a) - of(p.b) + static_cast<double>(workspace(p)),
              .rate = (tile < 128 ? 0.5 : 1.0) * (alignment < vector_bytes ? 0.25 : 1.0),
              .blocks = tiles(p.m) * tiles(p.n) * p.d.batch * splits,
              .plan = "tile " + std::to_string(tile) + ", " + std::to_string(splits) + " parts"};
  if (p.has_gelu() || p.has_gelu_gradient()) result.plan += ", gelu";
  if (p.operation.compute == CUBLAS_COMPUTE_64F) result.arithmetic = Arithmetic::float64;
  else if (p.a.type != CUDA_R_32F) result.arithmetic = Arithmetic::half;
  else if (p.operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32) result.arithmetic = Arithmetic::tf32;
  if (alignment < vector_bytes) result.fallback = "operands are not aligned to 16 bytes";
  return result;
}

/// Whole waves of tiles at the rate of the tensor cores, or the bytes at the memory's, whichever takes longer. Small
/// tiles and single elements reach a half and an eighth of the rate.
double Algorithm::seconds(const Problem& p, const GpuKind& gpu) const {
  const bool by_tensor_cores = p.operation.compute != CUBLAS_COMPUTE_64F &&
                               (p.a.type != CUDA_R_32F || p.operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32);
  double rate = by_tensor_cores ? gpu.peak_bfloat16 : gpu.peak_float32;
  if (p.a.type == CUDA_R_32F && by_tensor_cores) rate /= 2;
  if (tile < 128) rate /= 2;
  if (alignment < vector_bytes) rate /= 4;
  const double of_a_tile = 2.0 * tile * tile * static_cast<double>(p.k) / splits;
  const double of_parts = 2 * static_cast<double>(workspace(p));
  return std::max(std::ceil(waves(p, gpu)) * of_a_tile * gpu.multiprocessors / rate, p.bytes() / gpu.bandwidth) +
         of_parts / gpu.bandwidth + (splits > 1 ? 4e-6 : 2e-6);
}

std::vector<Algorithm> algorithms(const Problem& problem, const MatmulPreference& preference, const GpuKind& gpu) {
  std::vector<Algorithm> found;
  for (Algorithm algorithm : all) {
    if (!may_run(algorithm, problem, preference)) continue;
    // Among the allowed schemes this one moves fewer bytes and rounds more.
    algorithm.rounds_parts =
        algorithm.splits > 1 && (preference.reduction_schemes & CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE);
    found.push_back(algorithm);
  }
  std::stable_sort(found.begin(), found.end(), [&](const Algorithm& x, const Algorithm& y) {
    return x.seconds(problem, gpu) < y.seconds(problem, gpu);
  });
  return found;
}

cublasLtMatmulAlgo_t pack(const Algorithm& algorithm, const Problem& problem) {
  cublasLtMatmulAlgo_t result{};
  const Packed packed{mark, algorithm, problem.signature()};
  std::memcpy(&result, &packed, sizeof packed);
  return result;
}

std::optional<Algorithm> unpack(const cublasLtMatmulAlgo_t& from, const Problem& problem) {
  Packed packed{};
  std::memcpy(static_cast<void*>(&packed), &from, sizeof packed);
  if (packed.mark != mark || packed.signature != problem.signature()) return std::nullopt;
  return packed.algorithm;
}

std::optional<std::int32_t> id_of(const cublasLtMatmulAlgo_t& from) {
  Packed packed{};
  std::memcpy(static_cast<void*>(&packed), &from, sizeof packed);
  if (packed.mark != mark) return std::nullopt;
  return packed.algorithm.id;
}

}  // namespace simulated
