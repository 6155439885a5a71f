#include "report.h"

#include "notes.h"

#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/default_device.h>

#include <cstdio>
#include <utility>

using namespace minima;

namespace {

std::string cuda_version(int version) { return str(version / 1000, ".", version % 1000 / 10); }

std::string gib(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

/// Sections of aligned rows.
class Text {
 public:
  explicit Text(std::string title) : text_(std::move(title) + '\n') {}
  void section(const char* name) { text_ += str("\n", name, "\n"); }
  void row(const std::string& label, const std::string& value) { line(label, 18, value); }
  void line(const std::string& first, std::size_t width, const std::string& rest) {
    text_ += "  " + first;
    if (!rest.empty()) text_ += std::string(first.size() < width ? width - first.size() : 1, ' ') + rest;
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string processors_text(const BuildInfo& build) {
  if (build.processors == "native") return "like the one that built it (MINIMA_NATIVE=ON)";
  return build.processors.empty() ? "any" : build.processors + " and newer";
}

void add_build(Text& out, const BuildInfo& build) {
  out.section("Build");
  out.row("compiler", str(build.compiler, ", ", build.type, build.is_shared ? ", shared library" : ", static library"));
  out.row("flags", build.flags);
  out.row("processors", processors_text(build));
  out.row("instruction sets", build.instruction_sets.empty() ? "the baseline" : joined(build.instruction_sets));
  if (!build.sanitizer.empty()) out.row("sanitizer", build.sanitizer);
  out.row("CUDA",
          build.cuda.empty() ? "no" : str(build.cuda, ", for architectures ", joined(build.cuda_architectures)));
}

void add_cpu(Text& out, const CpuInfo& cpu) {
  out.section("CPU");
  out.row("name", cpu.name.empty() ? "unknown" : cpu.name);
  out.row("cores", str(cpu.cores, ", usable by this process: ", cpu.usable_cores));
  out.row("threads", str(cpu.threads));
  out.row("instruction sets", cpu.instruction_sets.empty() ? "unknown" : joined(cpu.instruction_sets));
  out.row("memory", str(gib(cpu.memory), ", available: ", gib(cpu.memory_available)));
}

std::string gpu_text(const GpuInfo& gpu) {
  const cuda::DeviceProperties& p = gpu.properties;
  const std::string free = gpu.memory_free < 0 ? str("unknown (", gpu.reason, ")") : gib(gpu.memory_free);
  return str(p.name, ", compute capability ", p.major, ".", p.minor, ", ", gib(p.memory), ", free: ", free);
}

void add_gpus(Text& out, const SystemInfo& info) {
  out.section("GPUs");
  out.row("default device", default_device_text());
  if (info.driver_cuda_version > 0)
    out.row("driver", str(info.driver.empty() ? "version unknown" : info.driver, ", for CUDA ",
                          cuda_version(info.driver_cuda_version)));
  for (std::size_t i = 0; i < info.gpus.size(); ++i) out.row(str("cuda:", i), gpu_text(info.gpus[i]));
  for (std::size_t i = 0; i < info.gpus.size() && info.gpus.size() > 1; ++i) {
    std::vector<std::string> reached;
    for (std::size_t other = 0; other < info.gpus.size(); ++other)
      if (info.gpus[i].peer_access[other]) reached.push_back(str("cuda:", other));
    out.row("peer access", str("cuda:", i, " to ", reached.empty() ? "none" : joined(reached)));
  }
}

void add_libraries(Text& out, const std::vector<LibraryInfo>& libraries) {
  out.section("Libraries");
  for (const LibraryInfo& library : libraries) {
    std::vector<std::string> rest;
    if (!library.is_available) rest.push_back(library.reason);
    if (!library.path.empty()) rest.push_back(library.path);
    if (!library.detail.empty()) rest.push_back(str("(", library.detail, ")"));
    const bool differs = !library.version.empty() && !library.built_with.empty();
    if (differs && library.version != library.built_with) rest.push_back(str("(built with ", library.built_with, ")"));
    const std::string& version = library.version.empty() ? library.built_with : library.version;
    const std::string shown = library.is_available ? (version.empty() ? "yes" : version) : "missing";
    out.line(library.name, 16, shown + std::string(shown.size() < 14 ? 14 - shown.size() : 1, ' ') + joined(rest));
  }
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json array_of(const std::vector<std::string>& texts) {
  Json array = Json::array();
  for (const std::string& text : texts) array.push_back(text);
  return array;
}

Json json_of(const BuildInfo& build) {
  return Json::object({{"compiler", build.compiler},
                       {"type", build.type},
                       {"flags", build.flags},
                       {"processors", text_or_null(build.processors)},
                       {"instruction_sets", array_of(build.instruction_sets)},
                       {"sanitizer", text_or_null(build.sanitizer)},
                       {"shared", build.is_shared},
                       {"cuda", text_or_null(build.cuda)},
                       {"cuda_architectures", array_of(build.cuda_architectures)}});
}

Json json_of(const CpuInfo& cpu) {
  return Json::object({{"name", text_or_null(cpu.name)},
                       {"cores", cpu.cores},
                       {"usable_cores", cpu.usable_cores},
                       {"threads", cpu.threads},
                       {"instruction_sets", array_of(cpu.instruction_sets)},
                       {"memory", cpu.memory},
                       {"memory_available", cpu.memory_available}});
}

Json json_of(const GpuInfo& gpu) {
  Json peers = Json::array();
  for (const bool can : gpu.peer_access) peers.push_back(can);
  const cuda::DeviceProperties& p = gpu.properties;
  return Json::object({{"name", p.name},
                       {"compute_capability", str(p.major, ".", p.minor)},
                       {"multiprocessors", p.multiprocessors},
                       {"pci_bus", p.pci_bus},
                       {"memory", p.memory},
                       {"memory_free", gpu.memory_free < 0 ? Json() : Json(gpu.memory_free)},
                       {"peer_access", std::move(peers)}});
}

Json json_of(const LibraryInfo& library) {
  return Json::object({{"name", library.name},
                       {"purpose", library.purpose},
                       {"available", library.is_available},
                       {"version", text_or_null(library.version)},
                       {"built_with", text_or_null(library.built_with)},
                       {"path", text_or_null(library.path)},
                       {"detail", text_or_null(library.detail)},
                       {"reason", text_or_null(library.reason)},
                       {"consequence", text_or_null(library.is_available ? "" : library.consequence)}});
}

template <class T>
Json json_of(const std::vector<T>& all) {
  Json array = Json::array();
  for (const T& one : all) array.push_back(json_of(one));
  return array;
}

}  // namespace

std::string default_device_text() try {
  const Device device = default_device();
  return str(describe_device(device), device.is_cuda() ? str(" (", default_device_reason(), ")") : "");
} catch (const Error& error) {
  std::string text = error.what();  // a line, and one for each note
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, "; ");
  return text;
}

std::string text_report(const SystemInfo& info) {
  Text out(str("minima ", info.build.version, info.build.commit.empty() ? "" : ", commit ", info.build.commit));
  add_build(out, info.build);
  add_cpu(out, info.cpu);
  add_gpus(out, info);
  add_libraries(out, info.libraries);
  const std::vector<std::string> notes = notes_on(info);
  if (!notes.empty()) out.section("Notes");
  for (const std::string& note : notes) out.line("- " + note, 0, "");
  return out.text();
}

std::string json_report(const SystemInfo& info) {
  const Json report = Json::object(
      {{"version", info.build.version},
       {"commit", text_or_null(info.build.commit)},
       {"build", json_of(info.build)},
       {"cpu", json_of(info.cpu)},
       {"default_device", default_device_text()},
       {"gpu_reason", text_or_null(info.gpu_reason)},
       {"driver", text_or_null(info.driver)},
       {"driver_cuda", info.driver_cuda_version == 0 ? Json() : Json(cuda_version(info.driver_cuda_version))},
       {"gpus", json_of(info.gpus)},
       {"libraries", json_of(info.libraries)},
       {"notes", array_of(notes_on(info))}});
  return report.text(2) + '\n';
}
