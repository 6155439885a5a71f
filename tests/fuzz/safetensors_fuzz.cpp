#include <minima/io/safetensors.h>

#include "tests/fuzz/fuzz.h"

/// Without the checksums too, behind which few inputs get.
FUZZ_TARGET(bytes) {
  const std::string path = fuzz::as_file(bytes);
  minima::read_safetensors(path, {.copy = true, .verify = false});
  minima::read_safetensors(path);
}
