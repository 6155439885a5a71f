#include <minima/io/archives/inflate.h>

#include "tests/fuzz/fuzz.h"

FUZZ_TARGET(bytes) {
  const auto source = minima::open_bytes(bytes, "fuzz");
  char piece[4096];
  for (int pieces = 0; pieces < 256 && source->read(piece, sizeof piece) == sizeof piece; ++pieces) {}
}
