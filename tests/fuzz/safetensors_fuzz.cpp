#include <minima/io/tensors/safetensors.h>

#include "tests/fuzz/fuzz.h"

/// Also with checksums off, since few inputs pass them.
FUZZ_TARGET(bytes) {
  const std::string path = fuzz::as_file(bytes);
  minima::read_safetensors(path, {.copy = true, .verify = false});
  minima::read_safetensors(path);
}
