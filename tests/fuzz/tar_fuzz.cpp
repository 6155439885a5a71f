#include <minima/io/archives/tar.h>

#include "tests/fuzz/fuzz.h"

/// Also what is compressed with gzip or zstd. A small archive may inflate to a large one: reading stops at a size.
FUZZ_TARGET(bytes) {
  const auto source = minima::open_bytes(bytes, "fuzz");
  minima::TarReader tar(*source, "fuzz");
  minima::TarReader::Entry entry;
  std::string content;
  for (int files = 0; files < 100 && tar.next(entry); ++files)
    if (entry.size % 3 != 0) tar.read(entry, content, 1 << 20);
}
