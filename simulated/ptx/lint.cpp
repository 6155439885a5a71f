#include "simulated/ptx/lint.h"

#include "simulated/executor.h"
#include "simulated/ptx/text/text_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace simulated::ptx {

namespace {

constexpr std::uint64_t sector = 32;  // bytes

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 1 : std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
}

/// The counts in the order of a line of the file.
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

std::string decimals(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

/// The work by the work that is needed: each waste multiplies.
double waste(const Counts& counts) {
  const Lint kernel = lint(counts);
  const double useful =
      share(counts.loads.bytes + counts.stores.bytes, (counts.loads.sectors + counts.stores.sectors) * sector);
  return kernel.bank_conflicts / (useful * kernel.active_lanes);
}

}  // namespace

Lint lint(const Counts& counts) {
  Lint result;
  result.useful_loads = share(counts.loads.bytes, counts.loads.sectors * sector);
  result.useful_stores = share(counts.stores.bytes, counts.stores.sectors * sector);
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

std::string slack(const Lint& kernel, const Limits& limits) {
  constexpr double share = 0.05, wavefronts = 0.3;  // compilers differ by less
  const Limits usual;
  std::string text;
  const auto at_least = [&](const char* what, double found, double limit, double usual_limit) {
    const double possible = std::min(found, usual_limit);
    if (limit < possible - share)
      text += (text.empty() ? "" : "; ") + std::string(what) + " " + decimals(limit) + " can be " + decimals(possible);
  };
  at_least("useful loads", kernel.useful_loads, limits.useful_loads, usual.useful_loads);
  at_least("useful stores", kernel.useful_stores, limits.useful_stores, usual.useful_stores);
  at_least("active lanes", kernel.active_lanes, limits.active_lanes, usual.active_lanes);
  if (const double possible = std::max(kernel.bank_conflicts, usual.bank_conflicts);
      limits.bank_conflicts > possible + wavefronts)
    text += (text.empty() ? "" : "; ") + std::string("bank conflicts ") + decimals(limits.bank_conflicts) + " can be " +
            decimals(possible);
  return text;
}

std::map<std::string, Limits> read_limits(const std::string& file) {
  std::map<std::string, Limits> result;
  const std::optional<std::string> content = read_text_file(file);
  if (!content) throw std::runtime_error(file + ": no such file of limits");
  std::istringstream in(*content);
  for (std::string text; std::getline(in, text);) {
    std::istringstream line(text.substr(0, text.find('#')));
    std::string name;
    if (!(line >> name)) continue;
    Limits limits;
    line >> limits.useful_loads >> limits.useful_stores >> limits.bank_conflicts >> limits.active_lanes;
    if (!line) throw std::runtime_error(file + ": a kernel's name and four limits are needed: " + text);
    result[name] = limits;
  }
  return result;
}

std::map<std::string, Counts> by_name(const std::map<std::string, Counts>& by_signature) {
  std::map<std::string, Counts> result;
  for (const auto& [signature, counts] : by_signature) result[name_in(signature)] += counts;
  return result;
}

Verdict judge(const std::map<std::string, Counts>& by_signature, const std::map<std::string, Limits>& limits) {
  const std::map<std::string, Counts> kernels = by_name(by_signature);
  Verdict verdict{.report = std::to_string(kernels.size()) + " kernels; those that waste most:\n" + table(kernels, 10)};
  const auto add = [&](const std::string& name, const std::string& text) {
    if (text.empty()) return;
    verdict.report += name + ": " + text + "\n";
    verdict.kept = false;
  };
  for (const auto& [name, counts] : kernels) {
    const auto own = limits.find(name);
    const Lint found = lint(counts);
    add(name, complaint(found, own == limits.end() ? Limits() : own->second));
    if (own != limits.end()) add(name, slack(found, own->second));
  }
  for (const auto& [name, unused] : limits)
    if (!kernels.contains(name)) add(name, "has limits, and did not run");
  return verdict;
}

void write_counts(const std::string& file, const std::map<std::string, Counts>& by_signature) {
  std::ostringstream out;
  for (const auto& [signature, counts] : by_signature) {
    for (const std::uint64_t* const field : fields(counts)) out << *field << ' ';
    out << signature << '\n';
  }
  write_text_file(file, out.str());
}

std::map<std::string, Counts> read_counts(const std::string& file) {
  std::map<std::string, Counts> result;
  std::istringstream in(read_text_file(file).value_or(""));
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
                   [](const auto& a, const auto& b) { return waste(a.second) > waste(b.second); });
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
