#include <minima/models/language/bert.h>
#include <minima/models/language/config.h>
#include <minima/models/language/gpt2.h>
#include <minima/models/language/llama.h>
#include <minima/models/language/weight_files.h>

#include "tests/fuzz/fuzz.h"

#include <string>

// config.json as any class's, and as an index of weights.

FUZZ_TARGET(bytes) {
  namespace detail = minima::models::detail;
  const std::string path = fuzz::as_file(bytes);
  fuzz::refuse_or_read([&] { detail::read_weight_index(path); });
  for (auto* read : {+[](detail::ConfigReader& config) { detail::gpt2_options(config); },
                     +[](detail::ConfigReader& config) { detail::llama_options(config); },
                     +[](detail::ConfigReader& config) { detail::bert_options(config); }})
    fuzz::refuse_or_read([&] {
      detail::ConfigReader config(path);
      read(config);
      config.finish();
    });
}
