#include <minima/tensor/cuda/libraries/lazy_library.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/libraries/library_folders.h>

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <sstream>
#include <string>

namespace minima::cuda {

constinit LazyLibrary driver_library{"the NVIDIA driver", "libcuda.so.1", "the NVIDIA driver of this GPU"};
constinit LazyLibrary nvml_library{"NVML", "libnvidia-ml.so.1", "the NVIDIA driver of this GPU"};
constinit LazyLibrary cublas_lt_library{"cuBLASLt", "libcublasLt.so.13", "CUDA 13 (scripts/setup.sh --cuda)"};
constinit LazyLibrary nvrtc_library{"NVRTC", "libnvrtc.so.13", "CUDA 13 (scripts/setup.sh --cuda)",
                                    "libnvrtc-builtins.so.*"};
constinit LazyLibrary cudnn_library{"cuDNN", "libcudnn.so.9", "cuDNN 9 (scripts/setup.sh --cuda)", nvrtc_library,
                                    cublas_lt_library};
constinit LazyLibrary cufft_library{"cuFFT", "libcufft.so.12", "CUDA 13 (scripts/setup.sh --cuda)"};
constinit LazyLibrary cublas_library{"cuBLAS", "libcublas.so.13", "CUDA 13 (scripts/setup.sh --cuda)"};
constinit LazyLibrary cusolver_library{"cuSOLVER", "libcusolver.so.12", "CUDA 13 (scripts/setup.sh --cuda)",
                                       cublas_lt_library, cublas_library};
constinit LazyLibrary nccl_library{"NCCL", "libnccl.so.2", "NCCL 2 (scripts/setup.sh --cuda)"};
constinit LazyLibrary cupti_library{"CUPTI", "libcupti.so.13", "CUDA 13 (scripts/setup.sh --cuda)"};

namespace {

#ifdef MINIMA_SIMULATED_RUNTIME
/// Simulated libraries are next to the runtime that the program is linked to, before any that NVIDIA installed. Those
/// that MINIMA_SIMULATED_MISSING names are not there.
void* open_somewhere(const std::string& soname) {
  const char* const missing = std::getenv("MINIMA_SIMULATED_MISSING");
  if (missing && std::string(missing).find(soname) != std::string::npos) return nullptr;
  void* const runtime = dlopen(MINIMA_SIMULATED_RUNTIME, RTLD_LAZY | RTLD_NOLOAD);
  const link_map* opened = nullptr;
  if (runtime && dlinfo(runtime, RTLD_DI_LINKMAP, &opened) == 0) {
    const std::string path = opened->l_name;
    if (void* const handle = dlopen((path.substr(0, path.rfind('/') + 1) + soname).c_str(), RTLD_LAZY | RTLD_LOCAL))
      return handle;
  }
  return dlopen(soname.c_str(), RTLD_LAZY | RTLD_LOCAL);
}
#else
/// Tries the loader's search path, then the folders known when minima was built, then those of this machine. Opened by
/// its full path, a library finds those beside it: NVIDIA's look in $ORIGIN.
void* open_somewhere(const std::string& soname) {
  const auto open_in = [&](const std::string& folder) {
    return dlopen((folder + soname).c_str(), RTLD_LAZY | RTLD_LOCAL);
  };
  if (void* const handle = open_in("")) return handle;
  std::istringstream built_with(MINIMA_CUDA_LIBRARY_DIRS);
  for (std::string folder; std::getline(built_with, folder, ':');)
    if (void* const handle = open_in(folder + '/')) return handle;
  for (const std::string& folder : library_folders())
    if (void* const handle = open_in(folder + '/')) return handle;
  return nullptr;
}
#endif

std::string path_of(void* handle) {
  const link_map* opened = nullptr;
  return handle && dlinfo(handle, RTLD_DI_LINKMAP, &opened) == 0 ? opened->l_name : "";
}

}  // namespace

// Two threads may open the library at once. That is harmless: the loader counts references, and both get the same
// handle.
void* LazyLibrary::open() {
  void* handle = __atomic_load_n(&handle_, __ATOMIC_ACQUIRE);
  if (handle) return handle;
  for (LazyLibrary* const needed : needs_)
    if (needed) needed->open();
  handle = open_somewhere(soname_);
  if (handle && beside_) {
    const std::string path = path_of(handle);
    for (const std::string& file : matches(path.substr(0, path.rfind('/') + 1) + beside_))
      dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  }
  if (handle) __atomic_store_n(&handle_, handle, __ATOMIC_RELEASE);
  return handle;
}

bool LazyLibrary::is_there() noexcept try { return open() != nullptr; } catch (...) {
  return false;
}

std::string LazyLibrary::path() { return path_of(open()); }

std::string LazyLibrary::failure() {
  if (open()) return "";
  dlopen(soname_, RTLD_LAZY | RTLD_LOCAL);  // for the loader's message about its own search path
  const char* const reason = dlerror();
  return str(name_, " could not be opened: ", reason ? reason : soname_, "; it comes with ", package_);
}

void* LazyLibrary::find_or_null(const char* name) noexcept { return is_there() ? dlsym(handle_, name) : nullptr; }

void* LazyLibrary::find(const char* name) {
  void* const handle = open();
  if (!handle) throw DeviceError(str(name, ": ", failure()));
  void* const address = dlsym(handle, name);
  if (!address)
    throw DeviceError(str(name, ": not found in this machine's ", soname_,
                          ", which is older than the version minima was built with; install ", package_));
  return address;
}

}  // namespace minima::cuda
