#include "simulated/libraries/cublas_lt/call.h"
#include "simulated/libraries/cusolver/call.h"

#include <cublas_v2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace simulated;

struct cublasContext {
  DenseHandle handle;
};

namespace {

/// Never destroyed, since programs destroy handles late or not at all.
std::set<cublasContext*>& handles() {
  static auto* const all = new std::set<cublasContext*>;
  return *all;
}

/// What both forms of trsm are told. The matrices' addresses are those of arrays of addresses in a batch.
struct Solves {
  cublasSideMode_t side;
  cublasFillMode_t uplo;
  cublasOperation_t operation;
  cublasDiagType_t diagonal;
  int m, n;
  double factor;
  const void* a;
  int lda;
  void* b;
  int ldb;
  bool is_double;

  Stored triangle(const void* at) const {
    const std::int64_t size = side == CUBLAS_SIDE_LEFT ? m : n;
    return {static_cast<char*>(const_cast<void*>(at)), size, size, lda, is_double};
  }
  Stored right(void* at) const { return {static_cast<char*>(at), m, n, ldb, is_double}; }
  double flops() const { return (side == CUBLAS_SIDE_LEFT ? m : n) * static_cast<double>(m) * n; }

  void run(const Stored& from, const Stored& to) const {
    Dense x = to.load();
    for (double& value : x.values) value *= factor;
    solve_triangle(from.load(),
                   {.upper = uplo == CUBLAS_FILL_MODE_UPPER,
                    .transposed = operation != CUBLAS_OP_N,
                    .unit = diagonal == CUBLAS_DIAG_UNIT},
                   side == CUBLAS_SIDE_RIGHT, x);
    to.store(x);
  }
};

template <class Body> cublasStatus_t handle_call(const char* function, cublasHandle_t handle, const Body& body) {
  return cublas_call(function, Reach::unsafe, [&](const Call& call) {
    if (!handles().contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    return body(call, handle->handle);
  });
}

cublasStatus_t trsm(const char* function, cublasHandle_t handle, const Solves& it) {
  return handle_call(function, handle, [&](const Call& call, const DenseHandle& own) {
    const Stored from = it.triangle(it.a), to = it.right(it.b);
    if (!from.is_valid() || !to.is_valid()) return CUBLAS_STATUS_INVALID_VALUE;
    if (!is_of_current_device(call, own, function)) return CUBLAS_STATUS_EXECUTION_FAILED;
    return cublas_status(submit_dense(call, own, function, {from.access(), to.access()}, it.flops(), it.is_double,
                                      [it, from, to] { it.run(from, to); }));
  });
}

/// The addresses are in the GPU's memory, and read when the work runs.
cublasStatus_t trsm_batched(const char* function, cublasHandle_t handle, const Solves& it, int count) {
  return handle_call(function, handle, [&](const Call& call, const DenseHandle& own) {
    char one = 0;
    if (!it.triangle(&one).is_valid() || !it.right(&one).is_valid() || count < 0) return CUBLAS_STATUS_INVALID_VALUE;
    if (!is_of_current_device(call, own, function)) return CUBLAS_STATUS_EXECUTION_FAILED;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(void*);
    const auto run = [it, count, &memory = call.machine.memory, device = own.device] {
      for (int i = 0; i < count; ++i) {
        const Stored from = it.triangle(static_cast<const void* const*>(it.a)[i]),
                     to = it.right(static_cast<void**>(it.b)[i]);
        for (const Stored& x : {from, to})
          if (!memory.is_accessible(device, x.address, x.bytes())) throw DeviceFault{cudaErrorIllegalAddress};
        it.run(from, to);
      }
    };
    return cublas_status(submit_dense(
        call, own, function, {{static_cast<const char*>(it.a), bytes}, {static_cast<const char*>(it.b), bytes}},
        it.flops() * count, it.is_double, run));
  });
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  return cublas_call("cublasCreate_v2", Reach::unsafe, [&](const Call& call) {
    *handle = std::make_unique<cublasContext>(cublasContext{{.device = call.thread.device}}).release();
    handles().insert(*handle);
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return cublas_call("cublasSetStream_v2", Reach::process, [&](const Call&) {
    if (!handles().contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->handle.stream = stream;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasStrsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                              cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const float* alpha,
                              const float* a, int lda, float* b, int ldb) {
  return trsm("cublasStrsm_v2", handle, {side, uplo, trans, diag, m, n, *alpha, a, lda, b, ldb, false});
}
cublasStatus_t cublasDtrsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                              cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const double* alpha,
                              const double* a, int lda, double* b, int ldb) {
  return trsm("cublasDtrsm_v2", handle, {side, uplo, trans, diag, m, n, *alpha, a, lda, b, ldb, true});
}
cublasStatus_t cublasStrsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                                  cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const float* alpha,
                                  const float* const a[], int lda, float* const b[], int ldb, int count) {
  return trsm_batched("cublasStrsmBatched", handle,
                      {side, uplo, trans, diag, m, n, *alpha, a, lda, const_cast<float**>(b), ldb, false}, count);
}
cublasStatus_t cublasDtrsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                                  cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const double* alpha,
                                  const double* const a[], int lda, double* const b[], int ldb, int count) {
  return trsm_batched("cublasDtrsmBatched", handle,
                      {side, uplo, trans, diag, m, n, *alpha, a, lda, const_cast<double**>(b), ldb, true}, count);
}

}  // extern "C"
