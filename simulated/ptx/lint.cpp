#include "simulated/ptx/lint.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace simulated::ptx {

namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 1 : std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
}

/// In the order of a line of the file.
template <class C> auto fields(C& c) {
  return std::array{&c.launches,        &c.blocks,           &c.instructions,      &c.lanes,
                    &c.barriers,        &c.loads.requests,   &c.loads.sectors,     &c.loads.bytes,
                    &c.stores.requests, &c.stores.sectors,   &c.stores.bytes,      &c.shared_requests,
                    &c.wavefronts,      &c.ideal_wavefronts, &c.load_instructions, &c.load_waits};
}

std::string percent(double value) { return std::to_string(static_cast<int>(value * 100 + 0.5)) + "%"; }
std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

/// How many times the work that is needed: each waste multiplies.
double waste(const Lint& kernel) {
  return kernel.bank_conflicts / (std::min(kernel.useful_loads, kernel.useful_stores) * kernel.active_lanes);
}

}  // namespace

Lint lint(const Counts& counts) {
  Lint result;
  result.useful_loads = share(counts.loads.bytes, counts.loads.sectors * 32);
  result.useful_stores = share(counts.stores.bytes, counts.stores.sectors * 32);
  if (counts.ideal_wavefronts != 0)
    result.bank_conflicts = static_cast<double>(counts.wavefronts) / static_cast<double>(counts.ideal_wavefronts);
  result.active_lanes = share(counts.lanes, counts.instructions * 32);
  if (counts.load_waits != 0)
    result.in_flight = static_cast<double>(counts.load_instructions) / static_cast<double>(counts.load_waits);
  return result;
}

std::string complaint(const Lint& kernel, const Limits& limits) {
  std::string text;
  const auto add = [&](bool bad, const std::string& what) {
    if (bad) text += (text.empty() ? "" : "; ") + what;
  };
  add(kernel.useful_loads < limits.useful_loads,
      percent(kernel.useful_loads) + " of the bytes read are used, " + percent(limits.useful_loads) + " are required");
  add(kernel.useful_stores < limits.useful_stores, percent(kernel.useful_stores) + " of the bytes written are used, " +
                                                       percent(limits.useful_stores) + " are required");
  add(kernel.bank_conflicts > limits.bank_conflicts, decimal(kernel.bank_conflicts) +
                                                         " wavefronts per request that needs one, " +
                                                         decimal(limits.bank_conflicts) + " are allowed");
  add(kernel.active_lanes < limits.active_lanes,
      percent(kernel.active_lanes) + " of the lanes are active, " + percent(limits.active_lanes) + " are required");
  return text;
}

std::string short_name(const std::string& signature) {
  std::string name;
  int depth = 0;
  for (const char c : signature) {
    if (c == '<') ++depth;
    else if (c == '>') --depth;
    else if (depth > 0) continue;
    else if (c == '(') break;
    else if (c == ':' || c == ' ') name.clear();
    else name += c;
  }
  return name;
}

void append_counts(const std::string& file, const std::map<std::string, Counts>& counts) {
  std::ofstream out(file, std::ios::app);
  for (const auto& [signature, of_kernel] : counts) {
    std::ostringstream line;
    for (const std::uint64_t* const field : fields(of_kernel)) line << *field << ' ';
    out << line.str() + signature + "\n";
  }
}

std::map<std::string, Counts> read_counts(const std::string& file) {
  std::map<std::string, Counts> result;
  std::ifstream in(file);
  for (std::string text; std::getline(in, text);) {
    std::istringstream line(text);
    Counts counts;
    for (std::uint64_t* const field : fields(counts)) line >> *field;
    std::string signature;
    if (!std::getline(line >> std::ws, signature)) throw std::runtime_error(file + ": no counts of a kernel: " + text);
    result[signature] += counts;
  }
  return result;
}

std::string table(const std::map<std::string, Counts>& counts, std::size_t rows) {
  std::vector<std::pair<std::string, Counts>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return waste(lint(a.second)) > waste(lint(b.second)); });
  sorted.resize(std::min(sorted.size(), rows));
  std::string text =
      "| kernel | useful loads | useful stores | wavefronts | active lanes | loads in flight |\n"
      "|---|---|---|---|---|---|\n";
  for (const auto& [name, of_kernel] : sorted) {
    const Lint kernel = lint(of_kernel);
    text += "| " + name + " | " + percent(kernel.useful_loads) + " | " + percent(kernel.useful_stores) + " | " +
            decimal(kernel.bank_conflicts) + " | " + percent(kernel.active_lanes) + " | " + decimal(kernel.in_flight) +
            " |\n";
  }
  return text;
}

}  // namespace simulated::ptx
