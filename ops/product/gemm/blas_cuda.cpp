#include <minima/ops/creation/creation.h>
#include <minima/ops/product/gemm/blas_epilogue.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/handles.h>
#include <minima/tensor/cuda/library_status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace minima::detail {

namespace {

constexpr std::size_t most_plans = 4096;

cudaDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::float16: return CUDA_R_16F;
    case DType::bfloat16: return CUDA_R_16BF;
    case DType::float64: return CUDA_R_64F;
    default: return CUDA_R_32F;
  }
}

cublasComputeType_t compute_type(DType dtype) {
  if (dtype == DType::float64) return CUBLAS_COMPUTE_64F;
  return dtype == DType::float32 && allows_tf32() ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

/// The largest power of two, up to 256, that divides an address.
std::uint32_t alignment_of(const void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  return address == 0 ? 256u : static_cast<std::uint32_t>(std::min<std::uintptr_t>(address & (~address + 1), 256));
}

template <class T, class A> void set(cublasLtMatmulDesc_t desc, A attribute, const T& value) {
  cuda::check(cublasLtMatmulDescSetAttribute(desc, attribute, static_cast<const void*>(&value), sizeof value),
              "cublasLtMatmulDescSetAttribute");
}
template <class T> void set(cublasLtMatmulPreference_t p, cublasLtMatmulPreferenceAttributes_t attribute,
                            const T& value) {
  cuda::check(cublasLtMatmulPreferenceSetAttribute(p, attribute, &value, sizeof value),
              "cublasLtMatmulPreferenceSetAttribute");
}

cublasLtEpilogue_t type_of(BlasEpilogue epilogue) {
  switch (epilogue) {
    case BlasEpilogue::none: return CUBLASLT_EPILOGUE_DEFAULT;
    case BlasEpilogue::relu: return CUBLASLT_EPILOGUE_RELU;
    case BlasEpilogue::bias: return CUBLASLT_EPILOGUE_BIAS;
    case BlasEpilogue::relu_bias: return CUBLASLT_EPILOGUE_RELU_BIAS;
    case BlasEpilogue::gelu: return CUBLASLT_EPILOGUE_GELU;
    case BlasEpilogue::gelu_bias: return CUBLASLT_EPILOGUE_GELU_BIAS;
    case BlasEpilogue::gelu_aux: return CUBLASLT_EPILOGUE_GELU_AUX;
    case BlasEpilogue::gelu_aux_bias: return CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    case BlasEpilogue::gelu_gradient: return CUBLASLT_EPILOGUE_DGELU;
    case BlasEpilogue::gelu_gradient_sums: return CUBLASLT_EPILOGUE_DGELU_BGRAD;
    case BlasEpilogue::sums_of_a: return CUBLASLT_EPILOGUE_BGRADA;
    case BlasEpilogue::sums_of_b: return CUBLASLT_EPILOGUE_BGRADB;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

/// The vector that the epilogue reads or writes: the bias or the sums, both of C's type.
const void* vector_of(const BlasProduct& p) { return p.sums_of == BlasSums::none ? p.bias : p.sums; }

/// A column-major matrix.
class Matrix {
 public:
  Matrix(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t batch, std::int64_t step) {
    cuda::check(cublasLtMatrixLayoutCreate(&handle_, type_of(dtype), static_cast<std::uint64_t>(rows),
                                           static_cast<std::uint64_t>(columns), ld),
                "cublasLtMatrixLayoutCreate");
    if (batch == 1) return;
    const auto count = static_cast<std::int32_t>(batch);
    put(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
    put(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step);
  }
  ~Matrix() { cublasLtMatrixLayoutDestroy(handle_); }
  Matrix(const Matrix&) = delete;
  operator cublasLtMatrixLayout_t() const { return handle_; }

 private:
  void put(cublasLtMatrixLayoutAttribute_t attribute, const void* value, std::size_t bytes) {
    cuda::check(cublasLtMatrixLayoutSetAttribute(handle_, attribute, value, bytes), "cublasLtMatrixLayoutSetAttribute");
  }
  cublasLtMatrixLayout_t handle_ = nullptr;
};

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  MINIMA_CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

/// Whether cuBLASLt says that an algorithm or epilogue does not serve a product, without having done anything.
bool is_refusal(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE ||
         status == CUBLAS_STATUS_ARCH_MISMATCH;
}

/// Descriptors and algorithms for products that differ only in their addresses. The heuristic's first choice runs, or,
/// once they were timed, the fastest; one that refuses gives way to the next.
class Plan {
 public:
  Plan(cublasLtHandle_t handle, const BlasProduct& p, std::size_t workspace_bytes)
      : a_(p.dtype, p.transpose_a ? p.k : p.m, p.transpose_a ? p.m : p.k, p.lda, p.batch, p.step_a),
        b_(p.dtype, p.transpose_b ? p.n : p.k, p.transpose_b ? p.k : p.n, p.ldb, p.batch, p.step_b),
        c_(p.c_dtype, p.m, p.n, p.ldc, p.batch, p.step_c) {
    const cudaDataType_t scale = p.dtype == DType::float64 ? CUDA_R_64F : CUDA_R_32F;
    cuda::check(cublasLtMatmulDescCreate(&desc_, compute_type(p.dtype), scale), "cublasLtMatmulDescCreate");
    set(desc_, CUBLASLT_MATMUL_DESC_TRANSA, p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(desc_, CUBLASLT_MATMUL_DESC_TRANSB, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(desc_, CUBLASLT_MATMUL_DESC_EPILOGUE, type_of(epilogue_of(p)));
    if (p.before) {
      set(desc_, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, p.ldc);
      set(desc_, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, type_of(p.c_dtype));
    }
    point_at(p);
    find_algorithms(handle, p, workspace_bytes);
    count(p, algorithms_.empty() ? EpilogueFate::refused : EpilogueFate::served);
  }
  ~Plan() { cublasLtMatmulDescDestroy(desc_); }
  Plan(const Plan&) = delete;

  /// False if no algorithm serves the product; that is remembered.
  bool run(cublasLtHandle_t handle, const BlasProduct& p, const cuda::Workspace& workspace, cudaStream_t stream) {
    point_at(p);
    while (!algorithms_.empty()) {
      const bool is_timed_choice = fastest_ && !is_deterministic();
      const cublasStatus_t status =
          multiply(handle, p, p.c, is_timed_choice ? *fastest_ : algorithms_.front(), workspace, stream);
      if (!is_refusal(status)) {
        cuda::check(status, "cublasLtMatmul");
        return true;
      }
      if (is_timed_choice) fastest_.reset();
      else algorithms_.erase(algorithms_.begin());
      if (algorithms_.empty()) count(p, EpilogueFate::refused);
    }
    return false;
  }

  /// Once in its life a plan may turn out to be slower than the product and separate kernels.
  void count_as_slower(const BlasProduct& p) {
    if (fate_ == EpilogueFate::served) count(p, EpilogueFate::slower);
  }

  bool is_timed() const { return timed_; }
  /// The time of the fastest algorithm, in milliseconds; infinite if none runs.
  float time() const { return time_; }

  /// Times the algorithms on this product, into scratch memory, and keeps the fastest of those that run.
  void time_algorithms(cublasLtHandle_t handle, const BlasProduct& p, const cuda::Workspace& workspace, Device device) {
    constexpr int runs = 3;
    timed_ = true;
    const PurposeGuard purpose(Purpose::temporaries);
    const std::int64_t elements = (p.batch - 1) * p.step_c + (p.n - 1) * p.ldc + p.m;
    const Tensor scratch = empty({elements}, {.dtype = p.c_dtype, .device = device});
    const Stream stream = current_stream(device);
    point_at(p);
    for (const cublasLtMatmulAlgo_t& algorithm : algorithms_)
      for (int i = 0; i <= runs; ++i) {
        Event start(true), end(true);
        start.record(stream);
        if (multiply(handle, p, scratch.raw_data(), algorithm, workspace, static_cast<cudaStream_t>(stream.handle())) !=
            CUBLAS_STATUS_SUCCESS)
          break;
        end.record(stream);
        const float time = end.since(start);
        if (i == 0 || time >= time_) continue;  // warm-up run
        time_ = time;
        fastest_ = algorithm;
      }
  }

 private:
  void count(const BlasProduct& p, EpilogueFate fate) {
    if (!is_optional(p)) return;
    count_epilogue(fate, describe(p), fate_ == EpilogueFate::served);
    fate_ = fate;
  }

  void point_at(const BlasProduct& p) {
    if (const void* const vector = vector_of(p)) set(desc_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, vector);
    if (p.before) set(desc_, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, p.before);
  }

  /// d = the product, plus C if it accumulates.
  cublasStatus_t multiply(cublasLtHandle_t handle, const BlasProduct& p, void* d, const cublasLtMatmulAlgo_t& algorithm,
                          const cuda::Workspace& workspace, cudaStream_t stream) const {
    const double one64 = 1, beta64 = p.accumulate ? 1 : 0;
    const float one = 1, beta = p.accumulate ? 1.0f : 0.0f;
    const bool wide = p.dtype == DType::float64;
    const void* const scale = wide ? static_cast<const void*>(&one64) : &one;
    const void* const keep = wide ? static_cast<const void*>(&beta64) : &beta;
    return cublasLtMatmul(handle, desc_, scale, p.a, a_, p.b, b_, keep, p.c, c_, d, c_, &algorithm, workspace.data(),
                          workspace.bytes(), stream);
  }

  /// Best first; none if cuBLASLt refuses the product.
  void find_algorithms(cublasLtHandle_t handle, const BlasProduct& p, std::size_t workspace_bytes) {
    constexpr int most = 8;
    cublasLtMatmulPreference_t preference = nullptr;
    cuda::check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(workspace_bytes));
    if (!cublas::allows_reduced_precision_reduction())
      set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
          static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(p.a));
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(p.b));
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(p.c));
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(p.c));
    cublasLtMatmulHeuristicResult_t found[most];
    int count = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(handle, desc_, a_, b_, c_, c_, preference, most, found, &count);
    cublasLtMatmulPreferenceDestroy(preference);
    if (is_refusal(status)) return;
    cuda::check(status, "cublasLtMatmulAlgoGetHeuristic");
    for (int i = 0; i < count; ++i)
      if (found[i].state == CUBLAS_STATUS_SUCCESS) algorithms_.push_back(found[i].algo);
  }

  Matrix a_, b_, c_;
  cublasLtMatmulDesc_t desc_ = nullptr;
  std::vector<cublasLtMatmulAlgo_t> algorithms_;  ///< by the heuristic's estimate
  std::optional<cublasLtMatmulAlgo_t> fastest_;
  std::optional<EpilogueFate> fate_;
  bool timed_ = false;
  float time_ = std::numeric_limits<float>::infinity();
};

using Key = std::array<std::int64_t, 18>;

Key key_of(const BlasProduct& p) {
  const std::int64_t flags = p.transpose_a | p.transpose_b << 1 | p.accumulate << 2 | allows_tf32() << 3 |
                             cublas::allows_reduced_precision_reduction() << 4 |
                             static_cast<std::int64_t>(epilogue_of(p)) << 5;
  return {p.m,
          p.n,
          p.k,
          p.lda,
          p.ldb,
          p.ldc,
          p.batch,
          p.step_a,
          p.step_b,
          p.step_c,
          static_cast<std::int64_t>(p.dtype),
          static_cast<std::int64_t>(p.c_dtype),
          flags,
          alignment_of(p.a),
          alignment_of(p.b),
          alignment_of(p.c),
          alignment_of(vector_of(p)),
          alignment_of(p.before)};
}

/// One GPU's plans. Never destroyed.
struct Plans {
  std::mutex mutex;
  std::map<Key, Plan> of_products;
};

Plans& plans_of(int device) {
  static Plans* const all = new Plans[max_devices];
  return all[device];
}

/// The product alone, or with its bias where gelu is left out: cuBLASLt adds a bias at no cost.
BlasProduct without_epilogue(BlasProduct product) {
  product.activation = BlasActivation::none;
  product.before = nullptr;
  product.sums_of = BlasSums::none;
  product.sums = nullptr;
  return product;
}

/// How long separate kernels for what follows the product would take, in milliseconds: a launch, and their operands.
float time_apart(BlasProduct p, Device device) {
  constexpr double launch = 3e-3;
  p.bias = nullptr;
  const cuda::DeviceProperties& gpu = cuda::properties(device.index);
  const double per_millisecond = 2.0 * gpu.memory_clock_khz * gpu.memory_bus_bits / 8;
  return static_cast<float>(launch + bytes_apart(p) / per_millisecond);
}

bool has_sums_of_operand(const BlasProduct& p) { return p.sums_of == BlasSums::a || p.sums_of == BlasSums::b; }
bool has_gelu(const BlasProduct& p) {
  return p.activation == BlasActivation::gelu || p.activation == BlasActivation::gelu_gradient;
}

}  // namespace

bool run_blas(const BlasProduct& product, Device device) {
  if (product.m == 0 || product.n == 0 || product.batch == 0) return true;
  const DeviceGuard guard(device);
  const cublasLtHandle_t handle = cuda::cublas_lt_handle();
  const cuda::Workspace workspace;
  const cudaStream_t stream = current_stream_state(device.index)->handle;
  Plans& plans = plans_of(device.index);
  const std::lock_guard lock(plans.mutex);  // each call sets the plan's bias address
  const auto plan_of = [&](const BlasProduct& p) -> Plan& {
    return plans.of_products.try_emplace(key_of(p), handle, p, workspace.bytes()).first->second;
  };
  if (plans.of_products.size() >= most_plans) plans.of_products.clear();
  const bool may_time = is_autotune() && !is_deterministic() && !is_captured(stream);
  const auto timed = [&](const BlasProduct& p) -> Plan& {
    Plan& plan = plan_of(p);
    if (may_time && !plan.is_timed()) plan.time_algorithms(handle, p, workspace, device);
    return plan;
  };
  Plan& plan = timed(product);
  if (has_sums_of_operand(product) || has_gelu(product)) {
    // A capture times nothing, and uses what was timed before.
    const bool is_known = is_autotune() && !is_deterministic() && plan.is_timed();
    if (is_known && plan.time() > timed(without_epilogue(product)).time() + time_apart(product, device)) {
      plan.count_as_slower(product);
      return false;
    }
    if (!is_known && has_sums_of_operand(product) && !may_pay(product, cuda::properties(device.index).multiprocessors))
      return false;
  }
  if (plan.run(handle, product, workspace, stream)) return true;
  if (is_optional(product)) return false;
  throw Error(str("matmul: cuBLASLt has no algorithm for the product [", product.m, ", ", product.k, "]·[", product.k,
                  ", ", product.n, "] of ", product.dtype));
}

}  // namespace minima::detail
