#include <minima/io/safetensors.h>

#include "tests/fuzz/fuzz.h"

FUZZ_TARGET(bytes) { minima::read_safetensors(fuzz::as_file(bytes), {.copy = true}); }
