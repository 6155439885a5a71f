#include <minima/io/text/json.h>

#include "tests/fuzz/fuzz.h"

FUZZ_TARGET(bytes) {
  const minima::Json value = minima::Json::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "fuzz");
  if (!(minima::Json::parse(value.text()) == value)) __builtin_trap();
}
