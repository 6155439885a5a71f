#include <minima/io/text/csv_reader.h>

#include "tests/fuzz/fuzz.h"

FUZZ_TARGET(bytes) { minima::parse_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "fuzz"); }
