#include "simulated/libraries/cublas_lt/algorithm.h"
#include "simulated/libraries/cublas_lt/call.h"
#include "simulated/libraries/cublas_lt/descriptors.h"
#include "simulated/libraries/cublas_lt/multiply.h"
#include "simulated/libraries/cublas_lt/problem.h"
#include "simulated/machine/gpu_kind.h"
#include "simulated/machine/handles.h"
#include "simulated/machine/machine.h"
#include "simulated/machine/report.h"
#include "simulated/machine/schedule.h"
#include "simulated/runtime/call.h"

#include <cublasLt.h>
#include <driver_types.h>
#include <library_types.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace simulated;

namespace {

/// A product of this thread's call: what it reads and writes, and how it is computed.
struct Product {
  Problem problem{};
  ProductOperands operands{};
  Algorithm algorithm{};
  int device = 0;
  char* workspace = nullptr;
  std::uint64_t number = 0;  ///< different for each call

  std::string name() const {
    const auto [m, n, k] = std::array{problem.m, problem.n, problem.k};
    return "cublasLtMatmul " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  }

  std::vector<Access> accesses() const {
    std::vector<Access> all{
        {operands.a, span_of(problem.a)}, {operands.b, span_of(problem.b)}, {operands.d, span_of(problem.d)}};
    if (operands.beta != 0) all.push_back({operands.c, span_of(problem.c)});
    const auto add = [&](const void* data, std::size_t bytes) {
      if (bytes > 0) all.push_back({static_cast<const char*>(data), bytes});
    };
    add(problem.operation.bias, static_cast<std::size_t>(problem.vector_length()) * bytes_of(problem.d.type));
    if (problem.has_aux()) add(problem.operation.aux, problem.aux_bytes());
    add(workspace, algorithm.workspace(problem));
    return all;
  }
};

/// "An illegal memory access was encountered" where the device cannot reach all of it.
void expect_access(const Machine& machine, const Product& product) {
  for (const Access& access : product.accesses())
    if (!machine.memory.is_accessible(product.device, access.address, access.bytes))
      throw DeviceFault{cudaErrorIllegalAddress};
}

/// The parts and their sum are two pieces of work, between which another stream's may run. Who shares the workspace
/// with it spoils the parts.
cudaError_t submit(const Call& call, CUstream_st& stream, const Product& product) {
  const auto work = [&](Cost cost, auto run) {
    return Work{.name = product.name(),
                .device = stream.device,
                .accesses = product.accesses(),
                .cost = std::move(cost),
                .run = std::move(run)};
  };
  Machine& machine = call.machine;
  const Cost cost = product.algorithm.cost(product.problem);
  const auto [splits, rounds] = std::pair{product.algorithm.splits, product.algorithm.rounds_parts};
  if (splits == 1)
    return machine.submit(stream, work(cost, [&machine, product] {
                            expect_access(machine, product);
                            multiply(product.problem, product.operands);
                          }));
  const cudaError_t status = machine.submit(stream, work(cost, [&machine, product, splits = splits, rounds = rounds] {
                                              expect_access(machine, product);
                                              std::memcpy(product.workspace, &product.number, sizeof product.number);
                                              multiply_parts(product.problem, product.operands, splits, rounds);
                                            }));
  if (status != cudaSuccess) return status;
  const auto parts = static_cast<double>(product.algorithm.workspace(product.problem));
  return machine.submit(stream,
                        work({.kind = WorkKind::product, .bytes_read = parts}, [&machine, product, splits = splits] {
                          expect_access(machine, product);
                          if (std::memcmp(product.workspace, &product.number, sizeof product.number) != 0)
                            report(product.name() + " on cuda:" + std::to_string(product.device) +
                                   ": other work wrote to its workspace while it ran");
                          add_parts(product.problem, product.operands, splits);
                        }));
}

double read_factor(const Problem& problem, const void* from) {
  if (problem.operation.scale == CUDA_R_64F) return *static_cast<const double*>(from);
  return *static_cast<const float*>(from);
}

MatmulPreference preference_of(const ProductOperands& x, std::size_t workspace_bytes) {
  return {.workspace = workspace_bytes,
          .alignment_a = alignment_of(x.a),
          .alignment_b = alignment_of(x.b),
          .alignment_c = alignment_of(x.beta != 0 ? x.c : x.d),
          .alignment_d = alignment_of(x.d)};
}

/// Whether the addresses are those that the algorithm and the epilogue need.
bool may_run(const Product& x) {
  const MatmulPreference at = preference_of(x.operands, 0);
  const Problem& p = x.problem;
  const bool in_place = x.operands.beta == 0 || x.operands.c != x.operands.d ||
                        (p.c.ld == p.d.ld && p.c.order == p.d.order && p.c.batch_stride == p.d.batch_stride);
  const bool has_vector = p.vector_length() == 0 || p.operation.bias, has_aux = !p.has_aux() || p.operation.aux;
  return in_place && has_vector && has_aux && x.operands.a && x.operands.b && x.operands.d &&
         x.algorithm.alignment <= std::min({alignment_of(p.a, at.alignment_a), alignment_of(p.b, at.alignment_b),
                                            alignment_of(p.c, at.alignment_c), alignment_of(p.d, at.alignment_d)});
}

/// "Must be 256B aligned" (cublasLtMatmul, workspace).
bool fits(const Product& product, std::size_t workspace_bytes) {
  const std::size_t needed = product.algorithm.workspace(product.problem);
  return needed == 0 || (product.workspace && alignment_of(product.workspace) == 256 && needed <= workspace_bytes);
}

cublasLtMatmulHeuristicResult_t result_of(const Problem& problem, const Algorithm& algorithm, const GpuKind& gpu) {
  return {.algo = pack(algorithm, problem),
          .workspaceSize = algorithm.workspace(problem),
          .state = CUBLAS_STATUS_SUCCESS,
          .wavesCount = static_cast<float>(algorithm.waves(problem, gpu)),
          .reserved = {}};
}

/// Counts a call under "function.kindnumber", too. What it is to return, or 0.
int count_as(const Call& call, const char* function, const char* kind, int number) {
  return call.machine.plan.count(std::string(function) + '.' + kind + std::to_string(number));
}

const GpuKind& kind_of(const Call& call, cublasLtHandle_t handle) {
  return call.machine.gpus[static_cast<std::size_t>(handle->device)].kind;
}

}  // namespace

extern "C" {

/// A planned failure of "cublasLtMatmulAlgoGetHeuristic.epilogue4" is what it says of products with that epilogue, one
/// of "cublasLtMatmulAlgoGetHeuristic.state" the state of one result.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t results[], int* count) {
  return cublas_call("cublasLtMatmulAlgoGetHeuristic", Reach::process, [&](const Call& call) {
    *count = 0;
    MatmulPreference preferred;
    if (!is_cublas_lt_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (most <= 0 || !read(preference, preferred)) return CUBLAS_STATUS_INVALID_VALUE;
    Problem problem;
    if (const cublasStatus_t status = describe(operation, a, b, c, d, problem); status != CUBLAS_STATUS_SUCCESS)
      return status;
    if (const int planned = count_as(call, "cublasLtMatmulAlgoGetHeuristic", "epilogue", problem.operation.epilogue))
      return static_cast<cublasStatus_t>(planned);
    for (const Algorithm& algorithm : algorithms(problem, preferred, kind_of(call, handle))) {
      if (*count == most) break;
      results[*count] = result_of(problem, algorithm, kind_of(call, handle));
      if (const int planned = call.machine.plan.count("cublasLtMatmulAlgoGetHeuristic.state"))
        results[*count].state = static_cast<cublasStatus_t>(planned);
      ++*count;
    }
    return *count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
  });
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                                       cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t* algorithm,
                                       cublasLtMatmulHeuristicResult_t* result) {
  return cublas_call("cublasLtMatmulAlgoCheck", Reach::process, [&](const Call& call) {
    if (!is_cublas_lt_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!algorithm || !result) return CUBLAS_STATUS_INVALID_VALUE;
    Problem problem;
    if (const cublasStatus_t status = describe(operation, a, b, c, d, problem); status != CUBLAS_STATUS_SUCCESS)
      return status;
    const auto unpacked = unpack(*algorithm, problem);
    if (!unpacked) return CUBLAS_STATUS_INVALID_VALUE;
    const cublasLtMatmulAlgo_t kept = result->algo;
    *result = result_of(problem, *unpacked, kind_of(call, handle));
    result->algo = kept;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, void* value,
                                                    size_t bytes, size_t* written) {
  return cublas_call("cublasLtMatmulAlgoConfigGetAttribute", Reach::process, [&](const Call&) {
    if (attribute != CUBLASLT_ALGO_CONFIG_ID)
      not_modelled("cublasLtMatmulAlgoConfigGetAttribute of attribute " + std::to_string(attribute));
    const auto id = algorithm ? id_of(*algorithm) : std::nullopt;
    if (!id || (bytes != 0 && (!value || bytes != sizeof *id)) || (bytes == 0 && !written))
      return CUBLAS_STATUS_INVALID_VALUE;
    if (bytes != 0) std::memcpy(value, &*id, sizeof *id);
    if (written) *written = sizeof *id;
    return CUBLAS_STATUS_SUCCESS;
  });
}

/// Null for `algorithm` is what the heuristic finds without a workspace. A planned failure of
/// "cublasLtMatmul.algorithm68" is that algorithm's; "cublasLtMatmul.epilogue4" counts calls.
cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, cudaStream_t handle_of_stream) {
  return cublas_call("cublasLtMatmul", Reach::context, [&](const Call& call) {
    if (!is_cublas_lt_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (handle->device != call.thread.device) {
      report("cublasLtMatmul: the handle belongs to cuda:" + std::to_string(handle->device) +
             ", the current device is cuda:" + std::to_string(call.thread.device));
      return CUBLAS_STATUS_INVALID_VALUE;
    }
    CUstream_st* const stream = call.stream(handle_of_stream);
    if (!stream || stream->device != call.thread.device) return CUBLAS_STATUS_EXECUTION_FAILED;
    static std::uint64_t products = 0;
    Product product{.device = call.thread.device, .workspace = static_cast<char*>(workspace), .number = ++products};
    Problem& problem = product.problem;
    if (const cublasStatus_t status = describe(operation, a_layout, b_layout, c_layout, d_layout, problem);
        status != CUBLAS_STATUS_SUCCESS)
      return status;
    if (!alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
    product.operands = {.alpha = read_factor(problem, alpha),
                        .beta = read_factor(problem, beta),
                        .a = static_cast<const char*>(a),
                        .b = static_cast<const char*>(b),
                        .c = static_cast<const char*>(c),
                        .d = static_cast<char*>(d),
                        .parts = product.workspace + workspace_header};
    if (algorithm) {
      const auto unpacked = unpack(*algorithm, problem);
      if (!unpacked) return CUBLAS_STATUS_INVALID_VALUE;
      product.algorithm = *unpacked;
    } else {
      const auto found = algorithms(problem, preference_of(product.operands, 0), call.gpu().kind);
      if (found.empty()) return CUBLAS_STATUS_NOT_SUPPORTED;
      product.algorithm = found.front();
    }
    if (!may_run(product) || !fits(product, workspace_bytes)) return CUBLAS_STATUS_INVALID_VALUE;
    count_as(call, "cublasLtMatmul", "epilogue", problem.operation.epilogue);
    if (const int planned = count_as(call, "cublasLtMatmul", "algorithm", product.algorithm.id))
      return static_cast<cublasStatus_t>(planned);
    return submit(call, *stream, product) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
  });
}

}  // extern "C"
