#include "notes.h"

#include <minima/tensor/base/format.h>
#include <minima/tensor/device/architectures.h>

#include <algorithm>

using minima::str;

namespace {

using Names = std::vector<std::string>;

Names without(const Names& all, const Names& some) {
  Names rest;
  for (const std::string& name : all)
    if (std::find(some.begin(), some.end(), name) == some.end()) rest.push_back(name);
  return rest;
}

bool has(const Names& names, const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); }

void add_processor_notes(Names& notes, const minima::SystemInfo& info) {
  const Names &compiled = info.build.instruction_sets, &present = info.cpu.instruction_sets;
  if (present.empty()) return;  // the system doesn't say
  if (const Names lacking = without(compiled, present); !lacking.empty())
    notes.push_back(str("the processor lacks instructions that this build uses (", joined(lacking),
                        "): programs may end with SIGILL. Build on this machine, or with MINIMA_NATIVE=OFF"));
  // These double the width of vectors; oneDNN uses the rest by itself.
  for (const char* wide : {"avx512f", "avx2"})
    if (has(present, wide) && !has(compiled, wide)) {
      notes.push_back(str("the processor has ", wide,
                          ", which this build does not use outside oneDNN. Build on this "
                          "machine with MINIMA_NATIVE=ON"));
      break;
    }
  if (info.cpu.threads > info.cpu.usable_cores)
    notes.push_back(str(info.cpu.threads, " threads share ", info.cpu.usable_cores,
                        " usable cores, which is slower than a thread each. Unset MINIMA_THREADS"));
}

void add_gpu_notes(Names& notes, const minima::SystemInfo& info) {
  const Names& architectures = info.build.cuda_architectures;
  for (const minima::GpuInfo& gpu : info.gpus) {
    const minima::cuda::DeviceProperties& p = gpu.properties;
    const bool runs = std::any_of(architectures.begin(), architectures.end(), [&](const std::string& architecture) {
      return minima::cuda::kernels_run_on(architecture, p.major, p.minor);
    });
    if (!runs)
      notes.push_back(str("this build's kernels (architectures ", joined(architectures), ") do not run on the ", p.name,
                          ", compute capability ", p.major, ".", p.minor,
                          ". Build with -D CMAKE_CUDA_ARCHITECTURES=", p.major, p.minor));
  }
}

}  // namespace

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::vector<std::string> notes_on(const minima::SystemInfo& info) {
  Names notes;
  if (!info.build.sanitizer.empty())
    notes.push_back(str("built with the ", info.build.sanitizer, " sanitizer, which makes everything slow"));
  else if (info.build.type == "Debug") notes.push_back("built without optimisation (CMAKE_BUILD_TYPE=Debug)");
  add_processor_notes(notes, info);
  add_gpu_notes(notes, info);
  for (const minima::LibraryInfo& library : info.libraries)
    if (!library.is_available && !library.consequence.empty())
      notes.push_back(str("no ", library.name, ": ", library.consequence));
  return notes;
}
