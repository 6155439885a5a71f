#include <minima/io/files/crc32c.h>
#include <minima/train/logs/event_reader.h>

#include "tests/fuzz/fuzz.h"

#include <string>

/// An input is a file or, after a first byte of 0xFF, the content of a record, to which valid checksums are added.
FUZZ_TARGET(bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty() || text[0] != '\xff') {
    minima::read_events(fuzz::as_file(bytes));
    return;
  }
  text.remove_prefix(1);
  const auto little = [](std::uint64_t value, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += static_cast<char>(value >> 8 * i);
    return out;
  };
  std::string record = little(text.size(), 8);
  record += little(minima::detail::masked_crc32c(record), 4);
  record += text;
  record += little(minima::detail::masked_crc32c(text), 4);
  minima::read_events(fuzz::as_file(std::as_bytes(std::span(record))));
}
