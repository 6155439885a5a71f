#include "arguments.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <charconv>
#include <cstddef>
#include <string>
#include <system_error>
#include <vector>

using minima::str;
using minima::ValueError;

const char* const usage =
    "usage: minima-plot RUN... --tag TAG [--tag TAG]... [-o FILE.svg] [--smooth WEIGHT] [--log] [--title TEXT]\n"
    "       minima-plot RUN... --list\n"
    "       minima-plot --traces TRACE.json... [-o FILE.json]\n"
    "\n"
    "Draws the curves of several runs in one picture: a plot for each tag, a colour for each run. A run is an event\n"
    "file (...tfevents...), a .csv or .jsonl file, or a folder with such a log.\n"
    "\n"
    "  --tag TAG         the scalar, column or member to draw, such as train/loss\n"
    "  -o FILE.svg       where to write the picture; by default standard output\n"
    "  --smooth WEIGHT   weight of the past in the moving average, from 0 (none) to below 1; 0.9 by default\n"
    "  --log             a logarithmic y axis\n"
    "  --title TEXT      title of the first plot; by default its tag\n"
    "  --list            print the tags of each run instead\n"
    "  --traces          merge the profiler's traces of several ranks, in their order, for https://ui.perfetto.dev\n"
    "\n"
    "Exit codes: 0 drawn; 1 a log cannot be read, lacks the tag, or the picture cannot be written; 2 wrong "
    "arguments.\n";

namespace {

double weight_of(const std::string& word) {
  double weight = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, weight);
  if (error != std::errc() || rest != end || !(weight >= 0 && weight < 1))
    throw ValueError(str("--smooth must be at least 0 and below 1, not ", word));
  return weight;
}

}  // namespace

Arguments parse(const std::vector<std::string>& words) {
  Arguments given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) throw ValueError(str(word, " needs a value"));
      return words[++i];
    };
    if (word == "--tag") given.tags.push_back(value());
    else if (word == "-o" || word == "--output") given.output = value();
    else if (word == "--smooth") given.options.smoothing = weight_of(value());
    else if (word == "--title") given.options.title = value();
    else if (word == "--log") given.options.log_y = true;
    else if (word == "--list") given.list = true;
    else if (word == "--traces") given.traces = true;
    else if (word == "--help" || word == "-h") given.help = true;
    else if (word.size() > 1 && word[0] == '-') throw ValueError(str("unknown argument ", word));
    else given.runs.push_back(word);
  }
  if (given.help) return given;
  if (given.runs.empty()) throw ValueError(given.traces ? "no trace is named" : "no run is named");
  if (given.traces) return given;
  if (given.tags.empty() && !given.list) throw ValueError("--tag is missing; --list prints the tags there are");
  return given;
}
