#include <minima/data/datasets/tar_index.h>

#include "tests/fuzz/fuzz.h"

/// The index of an archive of 4,096 bytes.
FUZZ_TARGET(bytes) {
  minima::data::detail::TarIndex index;
  if (!minima::data::detail::read_tar_index(fuzz::as_file(bytes), "m", 4096, index)) return;
  std::size_t used = 0;
  for (const auto& file : index.files) {
    used += file.name.size();
    if (file.data > 4096 || file.size > 4096 - file.data) __builtin_trap();
  }
  if (used > bytes.size()) __builtin_trap();
}
