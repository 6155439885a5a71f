#include <minima/data/datasets/idx.h>

#include "tests/fuzz/fuzz.h"

FUZZ_TARGET(bytes) { minima::data::read_idx(fuzz::as_file(bytes)); }
