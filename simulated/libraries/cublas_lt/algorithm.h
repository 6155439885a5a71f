#pragma once

#include "simulated/libraries/cublas_lt/descriptors.h"
#include "simulated/libraries/cublas_lt/problem.h"
#include "simulated/machine/cost.h"
#include "simulated/machine/gpu_kind.h"

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace simulated {

/// Before the parts in a workspace: whose they are.
inline constexpr std::size_t workspace_header = 256;

/// An algorithm cuts a product into tiles of D, whose sums over k may be cut in turn, with the parts in the workspace.
struct Algorithm {
  std::int32_t id = 0;          ///< CUBLASLT_ALGO_CONFIG_ID
  std::int32_t tile = 0;        ///< rows and columns
  std::int32_t splits = 1;      ///< parts of k
  std::uint32_t alignment = 0;  ///< bytes, of all matrices and their lines
  bool rounds_parts = false;    ///< to the type of D (CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE)

  std::size_t workspace(const Problem& problem) const;
  /// Waves of tiles on all multiprocessors.
  double waves(const Problem& problem, const GpuKind& gpu) const;
  /// The cost, without that of adding up its parts.
  Cost cost(const Problem& problem) const;
  /// The time that it would take, to choose one.
  double seconds(const Problem& problem, const GpuKind& gpu) const;
};

/// The algorithms that can run, the fastest by estimate first.
std::vector<Algorithm> algorithms(const Problem& problem, const MatmulPreference& preference, const GpuKind& gpu);

/// An algorithm configured for a problem, as cublasLtMatmulAlgo_t holds it.
cublasLtMatmulAlgo_t pack(const Algorithm& algorithm, const Problem& problem);
/// Nothing if it is not one, or was configured for another problem.
std::optional<Algorithm> unpack(const cublasLtMatmulAlgo_t& packed, const Problem& problem);
/// Nothing if it is not one.
std::optional<std::int32_t> id_of(const cublasLtMatmulAlgo_t& packed);

/// The largest power of two, up to 256, that divides an address.
std::uint32_t alignment_of(const void* address);
/// The same for a matrix at an address of this alignment, with all its lines.
std::uint32_t alignment_of(const MatrixLayout& layout, std::uint32_t address);

}  // namespace simulated
