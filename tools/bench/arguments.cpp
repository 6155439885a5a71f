#include "arguments.h"

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

using minima::str;
using minima::ValueError;

namespace bench {

const char* const usage =
    "usage: minima-bench [options]\n"
    "\n"
    "Measures this machine and what minima's parts gain on it, as tables.\n"
    "\n"
    "  --list             the tables, a line each\n"
    "  --only KEY[,KEY]   only these tables\n"
    "  --quick            shorter and smaller measurements: half a minute on two idle cores\n"
    "  --seconds S        of samples for each figure (0.3; with --quick 0.05)\n"
    "  --largest N        the largest sizes of products (4096; with --quick 1024)\n"
    "  --device D         cpu or cuda; by default the GPU if there is one\n"
    "  --json             one JSON object, a key per table, instead of text\n"
    "  --baseline FILE    compares with the JSON of an earlier run; exit code 1 if a figure is worse than it by\n"
    "  --threshold R      this factor (1.25)\n"
    "  --help             this text\n"
    "\n"
    "Exit codes: 0 measured; 1 slower than the baseline; 2 wrong arguments or an unreadable baseline.\n";

namespace {

double number_of(const std::string& option, const std::string& text, double least) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= least))
    throw ValueError(str(option, " needs a number of at least ", least, ", got ", text));
  return value;
}

std::vector<std::string> keys_of(const std::string& list) {
  std::vector<std::string> keys;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    const std::string key = list.substr(start, end - start);
    const auto has_key = [&](const Benchmark& known) { return key == known.key; };
    if (std::none_of(benchmarks().begin(), benchmarks().end(), has_key))
      throw ValueError(str("there is no table `", key, "`; minima-bench --list names them"));
    keys.push_back(key);
    start = end + 1;
  }
  return keys;
}

minima::Device device_of(const std::string& name) {
  if (name == "cpu") return minima::Device::cpu();
  if (name == "cuda") return minima::Device::cuda();
  throw ValueError(str("--device needs cpu or cuda, got ", name));
}

}  // namespace

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  Settings& settings = arguments.settings;
  settings.device = minima::default_device();
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--quick") == 0) settings.seconds = 0.05, settings.largest = 1024;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw ValueError(str(option, " needs a value"));
      return argv[++i];
    };
    if (option == "--quick") continue;
    if (option == "--help" || option == "-h") arguments.help = true;
    else if (option == "--list") arguments.list = true;
    else if (option == "--json") arguments.json = true;
    else if (option == "--only") arguments.only = keys_of(value());
    else if (option == "--seconds") settings.seconds = number_of(option, value(), 0.001);
    else if (option == "--largest") settings.largest = static_cast<std::int64_t>(number_of(option, value(), 64));
    else if (option == "--device") settings.device = device_of(value());
    else if (option == "--baseline") arguments.baseline = value();
    else if (option == "--threshold") arguments.threshold = number_of(option, value(), 1);
    else throw ValueError(str("unknown argument ", option));
  }
  return arguments;
}

}  // namespace bench
