// Decoding with llama.cpp, as language_models.cpp does it: greedy, after a prompt, with every token timed.
// compare_llama.sh builds it, against a build of llama.cpp, and gives it what gguf_of_gpt2.py writes.
//
//   llama_cpp MODEL.gguf ROWS NAME PROMPT TOKENS
//
// Threads are MINIMA_THREADS, or all cores. Keys and values are float16, its default.

#include "benchmarks/timed_calls.h"

#include <llama.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

struct Backend {
  Backend() { llama_backend_init(); }
  ~Backend() { llama_backend_free(); }
};

/// The tokens of each row that one call computes; the last of a row asks for logits.
class Batch {
 public:
  explicit Batch(std::int32_t tokens) : batch_(llama_batch_init(tokens, 0, 1)) {}
  ~Batch() { llama_batch_free(batch_); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void clear() { batch_.n_tokens = 0; }
  void add(llama_token token, std::int32_t position, std::int32_t row, bool is_last) {
    const std::int32_t at = batch_.n_tokens++;
    batch_.token[at] = token;
    batch_.pos[at] = position;
    batch_.n_seq_id[at] = 1;
    batch_.seq_id[at][0] = row;
    batch_.logits[at] = is_last;
  }
  /// Returns the likeliest token of each place that asked for logits.
  std::vector<llama_token> decode(llama_context* context, std::int32_t vocabulary) {
    if (llama_decode(context, batch_) != 0) throw std::runtime_error("llama_decode failed");
    std::vector<llama_token> best;
    for (std::int32_t i = 0; i < batch_.n_tokens; ++i) {
      if (!batch_.logits[i]) continue;
      const float* const logits = llama_get_logits_ith(context, i);
      best.push_back(static_cast<llama_token>(std::max_element(logits, logits + vocabulary) - logits));
    }
    return best;
  }

 private:
  llama_batch batch_;
};

int run(const char* path, std::int32_t rows, const char* name, std::int32_t prompt, int tokens) {
  constexpr int warmup = 3;
  const Backend backend;
  llama_log_set(
      [](ggml_log_level level, const char* text, void*) {
        if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
      },
      nullptr);
  const std::unique_ptr<llama_model, decltype(&llama_model_free)> model(
      llama_model_load_from_file(path, llama_model_default_params()), llama_model_free);
  if (!model) throw std::runtime_error("the model cannot be read");
  const char* const given = std::getenv("MINIMA_THREADS");
  llama_context_params params = llama_context_default_params();
  params.n_ctx = static_cast<std::uint32_t>(rows * (prompt + warmup + tokens + 1));
  params.n_batch = params.n_ubatch = static_cast<std::uint32_t>(rows * prompt);
  params.n_seq_max = static_cast<std::uint32_t>(rows);
  params.n_threads = params.n_threads_batch =
      given ? std::atoi(given) : static_cast<int>(std::thread::hardware_concurrency());
  const std::unique_ptr<llama_context, decltype(&llama_free)> context(llama_init_from_model(model.get(), params),
                                                                      llama_free);
  if (!context) throw std::runtime_error("there is no context");
  const std::int32_t vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model.get()));

  Batch batch(rows * prompt);
  std::mt19937 random(1);
  for (std::int32_t row = 0; row < rows; ++row)
    for (std::int32_t i = 0; i < prompt; ++i)
      batch.add(static_cast<llama_token>(random() % static_cast<unsigned>(vocabulary)), i, row, i + 1 == prompt);
  std::vector<llama_token> last = batch.decode(context.get(), vocabulary);
  std::int32_t position = prompt;
  const minima::bench::CallTimes times = minima::bench::time_calls(warmup - 1, tokens, [&] {
    batch.clear();
    for (std::int32_t row = 0; row < rows; ++row) batch.add(last[static_cast<std::size_t>(row)], position, row, true);
    last = batch.decode(context.get(), vocabulary);
    ++position;
  });
  std::printf("llama.cpp | decode %d %s %s | %.1f tokens/s | median %.1f ms, %.1f to %.1f | peak %lld MiB\n", rows,
              rows == 1 ? "row" : "rows", name, 1e3 * rows / times.median(), times.median(), times.least(),
              times.most(), static_cast<long long>(minima::bench::peak_mib()));
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 6) {
    std::fprintf(stderr, "usage: llama_cpp MODEL.gguf ROWS NAME PROMPT TOKENS\n");
    return 2;
  }
  try {
    return run(words[1], std::atoi(words[2]), words[3], std::atoi(words[4]), std::atoi(words[5]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "llama_cpp: %s\n", error.what());
    return 1;
  }
}
