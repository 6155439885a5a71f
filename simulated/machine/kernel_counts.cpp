#include "simulated/machine/kernel_counts.h"

#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>

namespace simulated {

namespace {

struct Table {
  std::mutex mutex;
  std::map<std::string, KernelCounts> rows;
};
Table& table() {
  static auto* const result = new Table;
  return *result;
}

}  // namespace

KernelCounts counts_of(const std::string& kernel) {
  const std::lock_guard lock(table().mutex);
  const auto& rows = table().rows;
  KernelCounts best;
  std::size_t matched = 0;
  for (const auto& [name, counts] : rows)
    if (name.size() > matched && kernel.starts_with(name)) {
      best = counts;
      matched = name.size();
    }
  return best;
}

void add_kernel_counts(std::istream& text) {
  const std::lock_guard lock(table().mutex);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name;
    if (!(words >> name)) continue;
    KernelCounts counts;
    if (!(words >> counts.load_bytes >> counts.loads_in_flight >> counts.sectors) || counts.load_bytes <= 0 ||
        counts.loads_in_flight <= 0 || counts.sectors < 1)
      throw std::invalid_argument("kernel counts: \"" + line +
                                  "\" is not NAME LOAD_BYTES LOADS_IN_FLIGHT SECTORS, as in packed_loop 16 2 1");
    table().rows[name] = counts;
  }
}

}  // namespace simulated
