#include "simulated/machine/kernel_counts.h"

#include <cstddef>
#include <istream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace simulated {

namespace {

constexpr const char* counted =
#include "simulated/machine/kernel_counts.inc"
    ;

struct Table {
  std::mutex mutex;
  std::map<std::string, KernelCounts> rows;
};

void add_rows(Table& to, std::istream& text) {
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string key;
    if (!(words >> key)) continue;
    KernelCounts counts{.counted = true};
    if (!(words >> counts.load_bytes >> counts.loads_in_flight >> counts.sectors) || counts.load_bytes <= 0 ||
        counts.loads_in_flight <= 0 || counts.sectors < 1)
      throw std::invalid_argument("kernel counts: \"" + line +
                                  "\" is not KEY LOAD_BYTES LOADS_IN_FLIGHT SECTORS, as in packed_loop 16 2 1");
    words >> counts.registers >> counts.shared_bytes >> counts.read >> counts.written >> counts.issue_slots >>
        counts.thread_bytes;
    to.rows[key] = counts;
  }
}

Table& table() {
  static auto* const result = [] {
    auto* const made = new Table;
    std::istringstream text(counted);
    add_rows(*made, text);
    return made;
  }();
  return *result;
}

/// Removes every `part`.
void remove_all(std::string& from, std::string_view part) {
  for (std::size_t at = 0; (at = from.find(part, at)) != std::string::npos;) from.erase(at, part.size());
}

}  // namespace

std::string key_of_kernel(const std::string& signature) {
  std::string key = signature.starts_with("void ") ? signature.substr(5) : signature;
  for (const std::string_view part : {"(anonymous namespace)::", "minima::", "detail::", " "}) remove_all(key, part);
  if (const std::size_t colon = key.substr(0, key.find_first_of("<(")).rfind(':'); colon != std::string::npos)
    key.erase(0, colon + 1);
  int depth = 0;  // the parameters begin outside of <>
  for (std::size_t i = 0; i < key.size(); ++i) {
    depth += (key[i] == '<') - (key[i] == '>');
    if (key[i] == '(' && depth == 0) return key.substr(0, i);
  }
  return key;
}

KernelCounts counts_of(const std::string& key) {
  const std::lock_guard lock(table().mutex);
  const auto& rows = table().rows;
  if (const auto exact = rows.find(key); exact != rows.end()) return exact->second;
  KernelCounts best;
  std::size_t matched = 0;
  for (const auto& [start, counts] : rows)
    if (start.size() > matched && key.starts_with(start)) {
      best = counts;
      matched = start.size();
    }
  return best;
}

void add_kernel_counts(std::istream& text) {
  const std::lock_guard lock(table().mutex);
  add_rows(table(), text);
}

void clear_kernel_counts() {
  const std::lock_guard lock(table().mutex);
  table().rows.clear();
}

}  // namespace simulated
