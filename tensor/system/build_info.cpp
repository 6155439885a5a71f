#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/system/instruction_sets.h>
#include <minima/tensor/system/system_info.h>

#include <build_facts.h>

namespace minima {

namespace built = detail::built;

BuildInfo build_info() {
  return {.version = built::version,
          .commit = built::commit,
          .compiler = built::compiler,
          .type = built::type,
          .flags = built::flags,
          .processors = built::processors,
          .sanitizer = built::sanitizer,
          .is_shared = built::is_shared,
          .instruction_sets = detail::compiled_instruction_sets(),
          .cuda = built::cuda,
          .cuda_architectures = detail::words(cuda::architectures())};
}

}  // namespace minima
