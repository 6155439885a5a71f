// Trains and applies byte-pair encoding. compare_tokenizers.py does the same with PyPI's tokenizers and compares.
//
//   tokenizers train PATTERN VOCABULARY OUT FILE…
//   tokenizers encode TOKENIZER RECORDS OUT
//
// PATTERN is gpt2, llama3 or qwen2, OUT of `train` a tokenizer.json. RECORDS are texts, each behind its length, an
// uint32; OUT gets the number of tokens and the tokens of each, uint32. Texts that do not come back from their tokens
// are an error, unless the tokenizer normalises.

#include "benchmarks/timed_calls.h"

#include <minima/data/tokenizers/tokenizer.h>
#include <minima/io/files/atomic_file.h>
#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace minima;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void append(std::string& to, std::uint32_t value) { to.append(reinterpret_cast<const char*>(&value), sizeof value); }

data::SplitPattern pattern_of(const std::string& name) {
  for (const auto& [known, pattern] : {std::pair{"gpt2", data::SplitPattern::gpt2},
                                       {"llama3", data::SplitPattern::llama3},
                                       {"qwen2", data::SplitPattern::qwen2}})
    if (name == known) return pattern;
  throw ValueError("the pattern \"" + name + "\" is none of gpt2, llama3, qwen2");
}

int train(const std::string& pattern, std::int64_t vocabulary, const std::string& out,
          const std::vector<std::string>& files) {
  const double start = seconds(), spent = processor_seconds();
  const auto tokenizer = data::Tokenizer::train(files, {.vocabulary = vocabulary, .pattern = pattern_of(pattern)});
  std::printf("minima | train %s | %lld tokens | %.1f s, %.1f s of processor time | peak %lld MiB\n", pattern.c_str(),
              static_cast<long long>(tokenizer.size()), seconds() - start, processor_seconds() - spent,
              static_cast<long long>(bench::peak_mib()));
  tokenizer.save(out);
  return 0;
}

int encode(const std::string& path, const std::string& records, const std::string& out) {
  const auto tokenizer = data::Tokenizer::load(path);
  const bool normalizes = tokenizer.decode(tokenizer.encode("e\xCC\x81")) != "e\xCC\x81";
  const MappedFile file(records);
  std::string result;
  double spent = 0;
  std::size_t bytes = 0;
  for (std::string_view rest = file.text(); !rest.empty();) {
    std::uint32_t size = 0;
    std::memcpy(&size, rest.data(), sizeof size);
    const std::string_view text = rest.substr(sizeof size, size);
    rest.remove_prefix(sizeof size + size);
    const double start = processor_seconds();
    const std::vector<std::int64_t> tokens = tokenizer.encode(text);
    spent += processor_seconds() - start;
    bytes += size;
    if (!normalizes && tokenizer.decode(tokens) != text)
      throw ValueError(str("a text of ", size, " bytes does not come back from its tokens"));
    append(result, static_cast<std::uint32_t>(tokens.size()));
    for (const std::int64_t token : tokens) append(result, static_cast<std::uint32_t>(token));
  }
  write_file(out, result);
  std::printf("minima | encode | %.1f MB | %.1f MB/s of processor time | peak %lld MiB\n",
              1e-6 * static_cast<double>(bytes), 1e-6 * static_cast<double>(bytes) / spent,
              static_cast<long long>(bench::peak_mib()));
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::vector<std::string> all(words + 1, words + count);
    if (all.size() > 4 && all[0] == "train")
      return train(all[1], std::atoll(all[2].c_str()), all[3], {all.begin() + 4, all.end()});
    if (all.size() == 4 && all[0] == "encode") return encode(all[1], all[2], all[3]);
    std::fprintf(stderr,
                 "usage: tokenizers train gpt2|llama3|qwen2 VOCABULARY OUT FILE...\n"
                 "       tokenizers encode TOKENIZER RECORDS OUT\n");
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tokenizers: %s\n", error.what());
    return 1;
  }
}
