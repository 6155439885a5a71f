#include "tables.h"

#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

using namespace minima;

namespace bench {

namespace {

/// minima-dryrun in this program's folder, or where it is built; empty if it is in neither.
std::string dry_run_program() {
  std::error_code failed;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  for (const std::filesystem::path& folder : {here, here / "../../simulated/dryrun"})
    if (std::filesystem::exists(folder / "minima-dryrun", failed)) return (folder / "minima-dryrun").string();
  return "";
}

std::string output_of(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "re");
  if (!pipe) throw Error(str("cannot run ", command));
  std::string text;
  char piece[4096];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, pipe)) text.append(piece, count);
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw Error(str("failed: ", command));
  return text;
}

}  // namespace

Table predictions(const Settings& settings) {
  Table table{.rows_are = "training step",
              .columns = {{"predicted, ms", Better::lower},
                          {"GPU busy, ms"},
                          {"host's calls, ms"},
                          {"launches", Better::lower},
                          {"peak, GiB", Better::lower},
                          {"GB/s"},
                          {"TFLOP/s"}}};
  const std::string program = dry_run_program();
  if (program.empty()) {
    table.notes.push_back("minima-dryrun is not in this program's folder: not predicted");
    return table;
  }
  const bool is_quick = settings.largest < 1024;
  const std::vector<std::string> steps =
      is_quick ? std::vector<std::string>{"mlp", "cnn"} : std::vector<std::string>{"gpt2", "resnet50"};
  for (const std::string& step : steps)
    for (const char* how : {"H100", "H200", "H200 --capture"}) {
      const Json report = Json::parse(output_of("'" + program + "' " + step + " --json --gpu " + how));
      const auto figure = [&](const char* key) { return report.at(key).number(); };
      const double milliseconds = figure("predicted_ms");
      table.add(str(step, ", ", how), {milliseconds, figure("gpu_ms"), figure("host_ms"), figure("launches"),
                                       figure("peak_bytes") * mebi / 1024, figure("bytes") / milliseconds * 1e3 * giga,
                                       figure("flops") / milliseconds * 1e3 * giga / 1e3});
    }
  table.notes.push_back(
      "Dry runs in bfloat16: predictions for GPUs that are not here, of minima's own kernels and calls.");
  return table;
}

}  // namespace bench
