#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>
#include <minima/tensor/system/libraries.h>
#include <minima/tensor/system/system_info.h>

#include <build_facts.h>

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <nvrtc.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::detail {

namespace {

/// Opens the library; `version()` asks it.
template <class Version>
LibraryInfo opened(cuda::LazyLibrary& library, LibraryInfo info, const Version& version) {
  if (info.name.empty()) info.name = library.name();
  info.path = library.path();
  info.reason = library.failure();
  info.is_available = info.reason.empty();
  if (!info.is_available) return info;
  try {
    info.version = version();
  } catch (const DeviceError&) {
    // A library so old that it lacks the function doesn't tell.
  }
  return info;
}

/// major * thousands + minor * 100 or 10 + patch.
std::string version_text(std::size_t code, std::size_t major, std::size_t minor) {
  return str(code / major, ".", code % major / minor, ".", code % minor);
}

LibraryInfo runtime() {
  int version = 0;
  cudaRuntimeGetVersion(&version);
  return {.name = "CUDA runtime",
          .purpose = "everything on GPUs",
          .is_available = true,
          .version = str(version / 1000, ".", version % 1000 / 10),
          .detail = "linked statically"};
}

LibraryInfo driver() {
  return opened(cuda::driver_library,
                {.name = "NVIDIA driver",
                 .purpose = "access to GPUs",
                 .consequence = "no GPU can be used, everything runs on the CPU"},
                [] {
                  const int version = cuda::driver_version();
                  return version == 0 ? "" : str("for CUDA ", version / 1000, ".", version % 1000 / 10);
                });
}

LibraryInfo nvml() {
  return opened(cuda::nvml_library,
                {.purpose = "sensors of GPUs",
                 .consequence = "free memory, utilization, temperature and power of GPUs are unknown"},
                [] { return std::string(); });
}

LibraryInfo cublas_lt() {
  return opened(cuda::cublas_lt_library,
                {.purpose = "matrix products on GPUs",
                 .built_with = version_text(CUBLAS_VERSION, 10000, 100),
                 .consequence = "matrix products on GPUs throw DeviceError, and so does what is made of them"},
                [] { return version_text(cublasLtGetVersion(), 10000, 100); });
}

LibraryInfo cublas() {
  return opened(cuda::cublas_library,
                {.purpose = "what cuSOLVER computes with",
                 .consequence = "factors and solutions of GPU tensors are computed on the CPU"},
                [] {
                  // The property types 0, 1 and 2 are major version, minor version and patch level.
                  const auto ask = reinterpret_cast<int (*)(int, int*)>(cuda::cublas_library.find("cublasGetProperty"));
                  int part[3] = {};
                  for (int i = 0; i < 3; ++i) ask(i, &part[i]);
                  return str(part[0], ".", part[1], ".", part[2]);
                });
}

LibraryInfo cudnn() {
  LibraryInfo info = opened(cuda::cudnn_library,
                            {.purpose = "convolutions and attention on GPUs",
                             .built_with = built::cudnn,
                             .consequence = "convolutions and attention on GPUs throw DeviceError"},
                            [] { return version_text(cudnnGetVersion(), 10000, 100); });
  if (*built::cudnn_frontend) return info;
  // Nothing asks it, so it isn't missed.
  info.detail = "not used: minima was built without cudnn-frontend";
  info.consequence = "";
  return info;
}

LibraryInfo cudnn_frontend() {
  LibraryInfo info{.name = "cudnn-frontend",
                   .purpose = "describing convolutions and attention to cuDNN",
                   .is_available = *built::cudnn_frontend != '\0',
                   .built_with = built::cudnn_frontend,
                   .version = built::cudnn_frontend,
                   .consequence =
                       "cuDNN is not used: convolutions on GPUs run as products over patches (im2col) by "
                       "cuBLASLt, attention by minima's own kernels"};
  if (info.is_available) info.detail = "headers";
  else info.reason = "its headers were not there when minima was built; scripts/setup_frontend.sh fetches them";
  return info;
}

LibraryInfo nvrtc() {
  return opened(cuda::nvrtc_library,
                {.purpose = "kernels that cudnn-frontend compiles at run time",
                 .consequence = "plans that need such kernels are skipped or fail"},
                [] {
                  int major = 0, minor = 0;
                  nvrtcVersion(&major, &minor);
                  return str(major, ".", minor);
                });
}

LibraryInfo cufft() {
  return opened(cuda::cufft_library,
                {.purpose = "Fourier transforms on GPUs",
                 .consequence = "Fourier transforms of GPU tensors are computed on the CPU"},
                [] {
                  int code = 0;
                  reinterpret_cast<int (*)(int*)>(cuda::cufft_library.find("cufftGetVersion"))(&code);
                  return version_text(static_cast<std::size_t>(code), 1000, 100);
                });
}

LibraryInfo cusolver() {
  return opened(cuda::cusolver_library,
                {.purpose = "linear algebra on GPUs",
                 .consequence = "factors and solutions of GPU tensors are computed on the CPU"},
                [] {
                  int code = 0;
                  reinterpret_cast<int (*)(int*)>(cuda::cusolver_library.find("cusolverGetVersion"))(&code);
                  return version_text(static_cast<std::size_t>(code), 1000, 100);
                });
}

LibraryInfo cupti() {
  return opened(cuda::cupti_library,
                {.purpose = "times of kernels in profiles",
                 .consequence = "profiles time operators by pairs of events, and nothing else on GPUs"},
                [] {
                  std::uint32_t code = 0;
                  reinterpret_cast<int (*)(std::uint32_t*)>(cuda::cupti_library.find("cuptiGetVersion"))(&code);
                  return std::to_string(code);
                });
}

LibraryInfo nccl() {
  LibraryInfo info{.name = "NCCL",
                   .purpose = "training by several processes on GPUs",
                   .built_with = built::nccl,
                   .consequence =
                       "distributed::init throws DeviceError for several processes on GPUs; one process "
                       "trains as usual"};
  if (!*built::nccl) {
    info.reason = "minima was built without its header; scripts/setup.sh --cuda installs it";
    return info;
  }
  return opened(cuda::nccl_library, info, [] {
    int code = 0;
    reinterpret_cast<int (*)(int*)>(cuda::nccl_library.find("ncclGetVersion"))(&code);
    return version_text(static_cast<std::size_t>(code), 10000, 100);
  });
}

}  // namespace

std::vector<LibraryInfo> cuda_libraries() {
  return {runtime(),        driver(), nvml(),  cublas_lt(), cublas(), cudnn(),
          cudnn_frontend(), nvrtc(),  cufft(), cusolver(),  cupti(),  nccl()};
}

}  // namespace minima::detail
