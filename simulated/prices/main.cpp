// minima-prices measures what calls of CUDA cost on this machine and prints that next to what the time model of dry
// runs takes for granted: a line each, "NAME <tab> MEASURED <tab> UNIT <tab> MODEL", where - stands for what the model
// does not have. With --kernels it measures the largest calls of a GPT-2 step; on a simulated GPU
// (MINIMA_SIMULATED_DRY=1) those are predictions.

#include "simulated/machine/gpu_kind.h"
#include "simulated/machine/time_model.h"
#include "simulated/prices/kernels.h"
#include "simulated/prices/timing.h"

#include <minima/minima.h>
#include <minima/tensor/base/format.h>

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

namespace {

using namespace minima;
using simulated::prices::gpu_milliseconds, simulated::prices::print;

/// A function of the driver, which only programs that already use it have loaded.
template <class Function> Function* driver(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (void* const library = found ? nullptr : dlopen("libcuda.so.1", RTLD_NOW)) found = dlsym(library, name);
  if (!found) throw std::runtime_error(minima::str("libcuda.so.1 has no ", name));
  return reinterpret_cast<Function*>(found);
}
#define DRIVER(function) driver<decltype(function)>(#function)

/// Microseconds of one of `times` calls, on the host.
template <class F> double microseconds(int times, F&& call) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / times;
}

double host_model(const char* function) { return 1e6 * simulated::host_seconds_of(function); }

void price_calls(cudaStream_t stream, const simulated::GpuKind* kind) {
  constexpr int times = 1000;
  void* word = nullptr;
  CHECK(cudaMalloc(&word, 1 << 20));
  const auto fill = [&] { CHECK(cudaMemsetAsync(word, 0, 4, stream)); };
  fill();
  CHECK(cudaStreamSynchronize(stream));
  print("launch", microseconds(times, fill), "us", host_model("cudaLaunchKernel"));
  CHECK(cudaStreamSynchronize(stream));

  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  print("event record", microseconds(times, [&] { CHECK(cudaEventRecord(event, stream)); }), "us",
        host_model("cudaEventRecord"));
  CHECK(cudaStreamSynchronize(stream));
  print("event query", microseconds(times, [&] { CHECK(cudaEventQuery(event)); }), "us", host_model("cudaEventQuery"));
  CHECK(cudaEventDestroy(event));

  constexpr int nodes = 200;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < nodes; ++i) fill();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  const auto replay = [&] { CHECK(cudaGraphLaunch(executable, stream)); };
  replay();
  CHECK(cudaStreamSynchronize(stream));
  print("graph launch, 200 nodes", microseconds(1, replay), "us", host_model("cudaGraphLaunch"));
  CHECK(cudaStreamSynchronize(stream));
  print("a node of a graph", 1e3 * gpu_milliseconds(stream, replay) / nodes, "us", kind ? 1e6 * kind->graph_gap : 0);
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(word));
}

void price_memory(std::size_t bytes) {
  constexpr int times = 10;
  const std::string size = str(" of ", bytes >> 20, " MiB");
  double freeing = 0;
  print("cudaMalloc" + size,
        microseconds(times,
                     [&] {
                       void* memory = nullptr;
                       CHECK(cudaMalloc(&memory, bytes));
                       freeing += microseconds(1, [&] { CHECK(cudaFree(memory)); });
                     }) -
            freeing / times,
        "us");
  print("cudaFree" + size, freeing / times, "us");

  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CUdeviceptr address = 0;
  CHECK(DRIVER(cuMemAddressReserve)(&address, bytes, 0, 0, 0));
  CUmemGenericAllocationHandle handle = 0;
  const auto price = [&](const char* name, auto&& call) { print(name + size, microseconds(1, call), "us"); };
  auto* const create = DRIVER(cuMemCreate);
  auto* const map = DRIVER(cuMemMap);
  auto* const set_access = DRIVER(cuMemSetAccess);
  auto* const unmap = DRIVER(cuMemUnmap);
  auto* const release = DRIVER(cuMemRelease);
  price("cuMemCreate", [&] { CHECK(create(&handle, bytes, &properties, 0)); });
  price("cuMemMap", [&] { CHECK(map(address, bytes, 0, handle, 0)); });
  price("cuMemSetAccess", [&] { CHECK(set_access(address, bytes, &access, 1)); });
  price("cuMemUnmap", [&] { CHECK(unmap(address, bytes)); });
  price("cuMemRelease", [&] { CHECK(release(handle)); });
  CHECK(DRIVER(cuMemAddressFree)(address, bytes));
}

void price_copies(cudaStream_t stream, const simulated::GpuKind* kind, std::size_t bytes) {
  void *host = nullptr, *from = nullptr, *to = nullptr;
  CHECK(cudaHostAlloc(&host, bytes, cudaHostAllocDefault));
  CHECK(cudaMalloc(&from, bytes));
  CHECK(cudaMalloc(&to, bytes));
  const auto rate = [&](void* target, const void* source, cudaMemcpyKind direction) {
    const auto copy = [&] { CHECK(cudaMemcpyAsync(target, source, bytes, direction, stream)); };
    copy();
    return static_cast<double>(bytes) / gpu_milliseconds(stream, copy) / 1e6;
  };
  print("upload from pinned memory", rate(from, host, cudaMemcpyHostToDevice), "GB/s",
        kind ? kind->host_bandwidth / 1e9 : 0);
  print("copy on the GPU, both ways", 2 * rate(to, from, cudaMemcpyDeviceToDevice), "GB/s",
        kind ? kind->bandwidth * kind->achieved_bandwidth / 1e9 : 0);
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  CHECK(cudaFreeHost(host));
}

void price_libraries(const simulated::GpuKind* kind, bool small) {
  const NoGrad guard;
  const Device device = Device::cuda();
  const TensorOptions half{.dtype = bfloat16, .device = device};
  const std::int64_t n = small ? 64 : 8192, side = small ? 8 : 56;
  const Tensor a = ones({n, n}, half), x = channels_last(ones({small ? 1 : 64, 64, side, side}, half)),
               w = channels_last(ones({64, 64, 3, 3}, half));
  const auto once = [&](auto&& call) {
    return microseconds(1,
                        [&] {
                          call();
                          synchronize(device);
                        }) /
           1e3;
  };
  const auto product = [&] { return matmul(a, a); };
  const auto convolution = [&] { return conv2d(x, w, {}, {.padding = 1}); };
  synchronize(device);
  const double first_product = once(product), first_convolution = once(convolution);
  const double of_a_product = once(product), of_a_convolution = once(convolution);
  print("plan of a product", first_product - of_a_product, "ms");
  print("plan of a convolution", first_convolution - of_a_convolution, "ms");
  print("large product of bfloat16", 2e-9 * static_cast<double>(n * n * n) / of_a_product, "TFLOP/s",
        kind ? kind->peak_bfloat16 * kind->achieved_rate / 1e12 : 0);
}

const simulated::GpuKind* kind_of(const std::string& name) {
  for (const simulated::GpuKind& kind : simulated::gpu_kinds())
    if (name == kind.name) return &kind;
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) try {
  bool small = false, kernels = false;
  for (int i = 1; i < argc; ++i) {
    const bool is_small = std::strcmp(argv[i], "--small") == 0;
    if (!is_small && std::strcmp(argv[i], "--kernels") != 0) {
      std::fputs(
          "usage: minima-prices [--kernels] [--small]\n"
          "--kernels: the largest calls of a GPT-2 step instead of CUDA's\n"
          "--small: less memory and arithmetic, to rehearse\n",
          stderr);
      return 2;
    }
    (is_small ? small : kernels) = true;
  }
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  CHECK(cudaSetDevice(0));
  const simulated::GpuKind* const kind = kind_of(properties.name);
  std::printf("GPU\t%s\t\t%s\n", properties.name, kind ? kind->key : "-");
  if (kernels) {
    simulated::prices::price_kernels(small);
    return 0;
  }
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  price_calls(stream, kind);
  price_memory(std::size_t{2} << 20);
  price_memory(std::size_t{64} << 20);
  price_copies(stream, kind, std::size_t{1} << (small ? 22 : 29));
  CHECK(cudaStreamDestroy(stream));
  price_libraries(kind, small);
} catch (const std::exception& error) {
  std::fprintf(stderr, "minima-prices: %s\n", error.what());
  return 1;
}
