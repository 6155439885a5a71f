#include <minima/io/tensors/npy.h>

#include "tests/fuzz/fuzz.h"

FUZZ_TARGET(bytes) { minima::read_npy(fuzz::as_file(bytes)); }
