#include <minima/data/tokenizers/tokenizer.h>

#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

// A tokenizer that is accepted encodes the beginning of its own file, or says which byte it lacks.
FUZZ_TARGET(bytes) {
  const auto tokenizer = minima::data::Tokenizer::load(fuzz::as_file(bytes));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 200));
  tokenizer.decode(tokenizer.encode(text));
}
