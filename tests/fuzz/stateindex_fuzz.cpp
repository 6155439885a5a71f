#include <minima/io/files/crc32c.h>
#include <minima/io/states/rank_file.h>
#include <minima/io/states/state_index.h>

#include "tests/fuzz/fuzz.h"

using minima::detail::StateIndex;

/// Also with the right checksum, which few inputs have. What is read must be written as it was.
FUZZ_TARGET(bytes) {
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  fuzz::refuse_or_read([&] { minima::detail::read_notes(text, "fuzz"); });
  fuzz::refuse_or_read([&] { StateIndex::parse(text, "fuzz"); });
  const std::string key = ",\n  \"crc32c\": \"", end = "\"\n}\n";
  text += key + "00000000" + end;
  const std::string sum = minima::detail::crc_digits(minima::detail::crc32c(text));
  text.replace(text.size() - end.size() - sum.size(), sum.size(), sum);
  const StateIndex index = StateIndex::parse(text, "fuzz");
  const std::string written = index.text();
  if (StateIndex::parse(written, "fuzz").text() != written) __builtin_trap();
}
