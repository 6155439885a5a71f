// minima-plot draws the curves of several runs' logs in one picture.

#include "arguments.h"

#include <minima/io/files/atomic_file.h>
#include <minima/tensor/base/error.h>
#include <minima/train/logs/compare_runs.h>
#include <minima/train/logs/run_log.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

constexpr int could_not_draw = 1, misused = 2;

int print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return 0;
  std::perror("minima-plot: standard output");
  return could_not_draw;
}

std::string list_of(const std::vector<minima::RunLog>& runs) {
  std::string text;
  for (const minima::RunLog& run : runs) {
    text += run.path + "\n";
    for (const auto& [tag, curve] : run.curves)
      text += "  " + tag + "  " + std::to_string(curve.x.size()) + " values\n";
  }
  return text;
}

int draw(const Arguments& given) {
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
    std::fprintf(stderr, "minima-plot: %s\n", error.what());
    return could_not_draw;
  }
}
