#include <minima/io/archives/tar.h>

#include "tests/fuzz/fuzz.h"

/// Plain or compressed archives. Reading stops at a size limit, since a small archive may inflate to a large one.
FUZZ_TARGET(bytes) {
  const auto source = minima::open_bytes(bytes, "fuzz");
  minima::TarReader tar(*source, "fuzz");
  minima::TarReader::Entry entry;
  std::string content;
  for (int files = 0; files < 100 && tar.next(entry); ++files)
    if (entry.size % 3 != 0) tar.read(entry, content, 1 << 20);
}
