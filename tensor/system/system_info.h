#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/cuda/devices.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima {

/// How this library was built.
struct BuildInfo {
  std::string version;     ///< "0.1.0"
  std::string commit;      ///< of the sources, abbreviated; empty if they were no git checkout
  std::string compiler;    ///< "GNU 12.2.0"
  std::string type;        ///< CMake's build type: "Release"
  std::string flags;       ///< of the compiler, but for warnings
  std::string processors;  ///< that it runs on: "native" (those like the builder's), "x86-64-v3", or empty: any
  std::string sanitizer;   ///< MINIMA_SANITIZE
  bool is_shared = false;
  std::vector<std::string> instruction_sets;    ///< that the compiler used, named as in CpuInfo
  std::string cuda;                             ///< version of the CUDA toolkit; empty: built without CUDA
  std::vector<std::string> cuda_architectures;  ///< that kernels were built for, as CMake spells them: "90-real"
};

/// The processor and what this process may use of it.
struct CpuInfo {
  std::string name;      ///< "AMD EPYC 9554"; empty if the system doesn't say
  int cores = 0;         ///< of the machine
  int usable_cores = 0;  ///< by this process: its affinity and its control group's quota
  int threads = 0;       ///< num_threads()
  /// Vector instructions that the processor has and minima or oneDNN can use, named as in /proc/cpuinfo: "avx512f".
  std::vector<std::string> instruction_sets;
  std::int64_t memory = 0;            ///< bytes; at most the control group's limit
  std::int64_t memory_available = 0;  ///< bytes that programs could allocate now without swapping
};

/// A GPU that this process can use.
struct GpuInfo {
  cuda::DeviceProperties properties;
  std::int64_t memory_free = -1;  ///< bytes; -1: unknown, see `reason`
  std::string reason;             ///< why the free memory is unknown
  std::vector<bool> peer_access;  ///< [i]: whether its kernels and copies can reach the memory of GPU i directly
};

/// A library that minima uses, or could use.
struct LibraryInfo {
  std::string name = {};     ///< "cuDNN"
  std::string purpose = {};  ///< "convolutions and attention on GPUs"
  bool is_available = false;
  std::string built_with = {};   ///< version of the headers; empty if unknown, or if minima was built without
  std::string version = {};      ///< of what runs; empty if it doesn't say
  std::string path = {};         ///< of the loaded file; empty for headers and for what is part of the program
  std::string detail = {};       ///< for example the instruction set that oneDNN uses
  std::string reason = {};       ///< why it is not available
  std::string consequence = {};  ///< what minima does without it
};

/// Describes the build, the machine and the libraries that minima runs on. The program `minima-info` prints it.
struct SystemInfo {
  BuildInfo build;
  CpuInfo cpu;
  std::string gpu_reason;       ///< why there are no GPUs
  std::string driver;           ///< version of NVIDIA's driver, "580.65.06"; empty if unknown
  int driver_cuda_version = 0;  ///< the CUDA version that it supports: 13000 is 13.0; 0 if there is none
  std::vector<GpuInfo> gpus;
  std::vector<LibraryInfo> libraries;
};

MINIMA_API BuildInfo build_info();
MINIMA_API CpuInfo cpu_info();
/// The GPUs in the order of their indices.
MINIMA_API std::vector<GpuInfo> gpu_info();
/// Opens every library, some of them large; a program that only trains opens what it uses.
MINIMA_API std::vector<LibraryInfo> library_info();
/// All of the above.
///
///     for (const LibraryInfo& library : system_info().libraries)
///       if (!library.is_available) log(library.name + ": " + library.reason + "; " + library.consequence);
MINIMA_API SystemInfo system_info();

}  // namespace minima
