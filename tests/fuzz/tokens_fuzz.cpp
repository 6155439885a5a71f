#include <minima/data/datasets/tokens.h>

#include "tests/fuzz/fuzz.h"

FUZZ_TARGET(bytes) {
  const minima::data::TokenFile file(fuzz::as_file(bytes));
  std::int64_t token = 0;
  if (file.size() > 0) file.read(file.size() - 1, 1, &token);
}
