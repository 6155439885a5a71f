// minima-plot draws the curves of several runs' logs in one picture, and merges their ranks' traces.

#include "arguments.h"

#include <minima/io/files/atomic_file.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/read_to_end.h>
#include <minima/profiler/merge_traces.h>
#include <minima/tensor/base/error.h>
#include <minima/train/logs/compare_runs.h>
#include <minima/train/logs/run_log.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using minima::detail::printable;

constexpr int could_not_draw = 1, misused = 2;

int print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return 0;
  std::perror("minima-plot: standard output");
  return could_not_draw;
}

std::string content_of(const std::string& path) {
  std::optional<std::string> text = minima::detail::read_to_end(path);
  if (!text) throw minima::FileError(path + ": cannot be read");
  return *std::move(text);
}

std::string list_of(const std::vector<minima::RunLog>& runs) {
  std::string text;
  for (const minima::RunLog& run : runs) {
    text += printable(run.path) + "\n";
    for (const auto& [tag, curve] : run.curves)
      text += "  " + printable(tag) + "  " + std::to_string(curve.x.size()) + " values\n";
  }
  return text;
}

int draw(const Arguments& given) {
  if (given.traces) {
    std::vector<std::string> traces;
    for (const std::string& path : given.runs) traces.push_back(content_of(path));
    const std::string merged = minima::profiler::merge_traces(traces);
    if (given.output.empty()) return print(merged);
    minima::write_file(given.output, merged);
    return 0;
  }
  std::vector<minima::RunLog> runs;
  for (const std::string& path : given.runs) runs.push_back(minima::read_run_log(path));
  if (given.list) return print(list_of(runs));
  const std::string picture = minima::compare_runs_svg(runs, given.tags, given.options);
  if (given.output.empty()) return print(picture);
  minima::write_file(given.output, picture);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments given;
  try {
    given = parse({argv + 1, argv + argc});
  } catch (const minima::ValueError& error) {
    std::fprintf(stderr, "minima-plot: %s; see minima-plot --help\n", error.what());
    return misused;
  }
  if (given.help) return print(usage);
  try {
    return draw(given);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "minima-plot: %s\n", printable(error.what()).c_str());
    return could_not_draw;
  }
}
