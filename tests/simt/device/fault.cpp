#include <minima/tensor/cuda/fault_table.h>

// The device is the CPU, so they share memory.

namespace minima::cuda {

namespace {

FaultTable& table() {
  static FaultTable* const all = new FaultTable;
  return *all;
}

}  // namespace

Fault* fault_place(const FaultText& text) {
  return table().place(text, [](int count) { return new Fault[static_cast<std::size_t>(count)]{}; });
}

void throw_faults() { table().throw_first(); }

}  // namespace minima::cuda
