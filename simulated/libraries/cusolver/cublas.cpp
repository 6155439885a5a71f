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

/// The arguments of both forms of trsm. The matrices' addresses are those of arrays of addresses in a batch.
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

/// A batch of square matrices, or of right sides, by their addresses in the GPU's memory.
struct Batch {
  const void* addresses;
  int rows, columns, ld;
  bool is_double;

  Stored at(int i) const {
    return {static_cast<char*>(static_cast<void* const*>(addresses)[i]), rows, columns, ld, is_double};
  }
  bool is_valid() const {
    char one = 0;
    return Stored{&one, rows, columns, ld, is_double}.is_valid() && addresses;
  }
  Access access(int count) const {
    return {static_cast<const char*>(addresses), static_cast<std::size_t>(count) * sizeof(void*)};
  }
};

void expect_access(const Memory& memory, int device, const Stored& x) {
  if (!memory.is_accessible(device, x.address, x.bytes())) throw DeviceFault{cudaErrorIllegalAddress};
}

std::size_t bytes_of_ints(std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(int); }

cublasStatus_t getrf_batched(const char* function, cublasHandle_t handle, const Batch& a, int* pivots, int* info,
                             int count) {
  return handle_call(function, handle, [&](const Call& call, const DenseHandle& own) {
    if (!a.is_valid() || count < 0 || !info || !pivots) return CUBLAS_STATUS_INVALID_VALUE;
    if (!is_of_current_device(call, own, function)) return CUBLAS_STATUS_EXECUTION_FAILED;
    const auto run = [=, &memory = call.machine.memory, device = own.device] {
      for (int i = 0; i < count; ++i) {
        expect_access(memory, device, a.at(i));
        Dense factors = a.at(i).load();
        std::vector<std::int64_t> swaps;
        info[i] = lu(factors, swaps);
        a.at(i).store(factors);
        for (int k = 0; k < a.rows; ++k)
          pivots[std::int64_t{i} * a.rows + k] = static_cast<int>(swaps[static_cast<std::size_t>(k)]);
      }
    };
    const double n = a.rows;
    return cublas_status(
        submit_dense(call, own, function,
                     {a.access(count),
                      {reinterpret_cast<const char*>(pivots), bytes_of_ints(std::int64_t{count} * a.rows)},
                      {reinterpret_cast<const char*>(info), bytes_of_ints(count)}},
                     2 * n * n * n / 3 * count, a.is_double, run));
  });
}

/// `info` is the host's: it tells of wrong arguments only.
cublasStatus_t getrs_batched(const char* function, cublasHandle_t handle, cublasOperation_t operation, const Batch& a,
                             const int* pivots, const Batch& b, int* info, int count) {
  return handle_call(function, handle, [&](const Call& call, const DenseHandle& own) {
    if (!a.is_valid() || !b.is_valid() || count < 0 || !info || !pivots) return CUBLAS_STATUS_INVALID_VALUE;
    if (!is_of_current_device(call, own, function)) return CUBLAS_STATUS_EXECUTION_FAILED;
    *info = 0;
    const auto run = [=, &memory = call.machine.memory, device = own.device] {
      for (int i = 0; i < count; ++i) {
        expect_access(memory, device, a.at(i));
        expect_access(memory, device, b.at(i));
        const int* const own_pivots = pivots + std::int64_t{i} * a.rows;
        Dense x = b.at(i).load();
        solve(a.at(i).load(), {own_pivots, own_pivots + a.rows}, operation != CUBLAS_OP_N, x);
        b.at(i).store(x);
      }
    };
    const double n = a.rows;
    return cublas_status(
        submit_dense(call, own, function,
                     {a.access(count),
                      b.access(count),
                      {reinterpret_cast<const char*>(pivots), bytes_of_ints(std::int64_t{count} * a.rows)}},
                     2 * n * n * b.columns * count, a.is_double, run));
  });
}

}  // namespace

extern "C" {

cublasStatus_t cublasSgetrfBatched(cublasHandle_t handle, int n, float* const a[], int lda, int* pivots, int* info,
                                   int count) {
  return getrf_batched("cublasSgetrfBatched", handle, {a, n, n, lda, false}, pivots, info, count);
}
cublasStatus_t cublasDgetrfBatched(cublasHandle_t handle, int n, double* const a[], int lda, int* pivots, int* info,
                                   int count) {
  return getrf_batched("cublasDgetrfBatched", handle, {a, n, n, lda, true}, pivots, info, count);
}
cublasStatus_t cublasSgetrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,
                                   const float* const a[], int lda, const int* pivots, float* const b[], int ldb,
                                   int* info, int count) {
  return getrs_batched("cublasSgetrsBatched", handle, trans, {a, n, n, lda, false}, pivots, {b, n, nrhs, ldb, false},
                       info, count);
}
cublasStatus_t cublasDgetrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,
                                   const double* const a[], int lda, const int* pivots, double* const b[], int ldb,
                                   int* info, int count) {
  return getrs_batched("cublasDgetrsBatched", handle, trans, {a, n, n, lda, true}, pivots, {b, n, nrhs, ldb, true},
                       info, count);
}

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
