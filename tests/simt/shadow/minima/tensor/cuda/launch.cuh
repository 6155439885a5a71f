#pragma once

#include <cstddef>
#include <cstdint>

// Replaces the library's launch.cuh: the same functions run the kernel on the CPU before they return, or record it for
// a capture.

namespace minima::cuda {

struct Grid {
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes = 0;
};

inline Grid grid_for(std::int64_t count, unsigned threads = 256) {
  const std::int64_t blocks = (count + threads - 1) / threads;
  return {dim3(static_cast<unsigned>(blocks < 0x7fffffff ? blocks : 0x7fffffff)), dim3(threads), 0};
}

template <class... Parameters, class... Arguments>
void launch(const char* name, const Grid& grid, void (*kernel)(Parameters...), const Arguments&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter of the kernel");
  static_assert((0 + ... + (sizeof(Parameters) + 8)) <= 32764, "more bytes of parameters than a kernel can take");
  if (grid.blocks.x == 0 || grid.blocks.y == 0 || grid.blocks.z == 0) return;
  const std::tuple<Parameters...> values(static_cast<Parameters>(arguments)...);
  if (simt::Recording* const recording = simt::recording())
    return recording->note(
        [=] { simt::run(name, grid.blocks, grid.threads, grid.shared_bytes, [&] { std::apply(kernel, values); }); });
  simt::run(name, grid.blocks, grid.threads, grid.shared_bytes, [&] { std::apply(kernel, values); });
}

}  // namespace minima::cuda
