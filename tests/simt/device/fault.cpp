#include <minima/tensor/cuda/fault_table.h>

// The CPU is the device, so its memory is shared by itself.

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
