#include "simulated/machine/kernel_counts.h"

#include <cstddef>
#include <istream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>

namespace simulated {

namespace {

/// Read from the SASS that nvcc 13.0 made for sm_90 of the instances that the benchmarks use: the width of the loads in
/// the inner loop, and how many a thread issues before it waits for the first. Kernels that change are to be counted
/// anew.
constexpr const char* counted = R"(
  add_chunks_kernel               4 2 1
  advance_kernel                  8 1 1  32
  cross_entropy_kernel            4 1 1
  cross_entropy_gradient_kernel   4 1 1
  dropout_kernel                  8 1 1
  embedding_kernel               16 1 1
  embedding_gradient_kernel       4 1 1
  layer_norm_kernel               4 1 1
  layer_norm_gradient_kernel      4 1 1
  max_pool2d_kernel               2 1 1
  max_pool2d_scatter_kernel       2 1 1
  packed_loop_kernel             16 1 1
  power_sum_kernel                4 1 1
  reduce_kernel                   2 1 1   # of bfloat16 over leading dimensions; 16 bytes over rows
  scale_kernel                    4 1 1
  softmax_kernel                  2 1 1
  softmax_gradient_kernel         2 1 1
  strided_loop_kernel             4 1 1 128   # four elements of at most 8 bytes, four operands
  transpose_kernel                2 1 1
  update_kernel                  16 4 1
)";

struct Table {
  std::mutex mutex;
  std::map<std::string, KernelCounts> rows;
};

void add_rows(Table& to, std::istream& text) {
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name;
    if (!(words >> name)) continue;
    KernelCounts counts;
    if (!(words >> counts.load_bytes >> counts.loads_in_flight >> counts.sectors) || counts.load_bytes <= 0 ||
        counts.loads_in_flight <= 0 || counts.sectors < 1)
      throw std::invalid_argument("kernel counts: \"" + line +
                                  "\" is not NAME LOAD_BYTES LOADS_IN_FLIGHT SECTORS, as in packed_loop 16 2 1");
    words >> counts.most_bytes;
    to.rows[name] = counts;
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
  add_rows(table(), text);
}

}  // namespace simulated
