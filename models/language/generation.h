#pragma once

#include <minima/models/language/generate.h>
#include <minima/models/language/sampler.h>
#include <minima/models/language/text_stream.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace minima::models {

/// Why a row gets no more tokens.
enum class TextEnd : std::uint8_t {
  none,   ///< it does get more
  token,  ///< `end` or one of `stop_tokens`, which is the row's last token
  stop,   ///< a stop string
  count,  ///< new_tokens
};

/// Generates several texts at once, a token of each row per step. Prompts may differ in length; shorter ones are padded
/// on the left, hidden from attention and without positions, so each row gets what it would get alone.
///
///     models::Generation texts(net.causal(), {{15496, 11}, {464}}, {.new_tokens = 40, .temperature = 0.8, .top_p =
///     0.9}); while (texts.step()) std::fputs(texts.piece(0).c_str(), stdout);      // needs GenerateOptions::text
///     texts.tokens(1);                                                      // the prompt and what follows it
///
/// Call the model's eval() first. Nothing is recorded. A step that throws has changed no row and no cache.
class MINIMA_API Generation {
 public:
  /// Throws, before anything is computed: ShapeError for no prompt, an empty one, and one that with new_tokens is
  /// longer than the model's positions; IndexError for tokens outside the vocabulary; ValueError for options out of
  /// range, a prompt longer than the cache, and a cache above `max_cache_bytes`.
  Generation(CausalModel model, std::vector<std::vector<std::int64_t>> prompts, const GenerateOptions& options = {});

  /// Draws a token for each row that has not ended; the first step computes the prompts. Returns false, and does
  /// nothing, if all rows have ended. Throws ValueError if the cache is full, and for logits with NaN.
  bool step();

  std::int64_t rows() const { return static_cast<std::int64_t>(texts_.size()); }
  /// The prompt and what follows it. Tokens that a stop string consists of are there, too.
  const std::vector<std::int64_t>& tokens(std::int64_t row) const { return at(row).tokens; }
  std::int64_t prompt_length(std::int64_t row) const { return at(row).prompt; }
  /// The token that the last step drew; -1 if the row had ended before.
  std::int64_t last(std::int64_t row) const { return at(row).last; }
  /// The text that the last step settled, see TextStream; empty without GenerateOptions::text. `end` and stop tokens
  /// have no text.
  const std::string& piece(std::int64_t row) const { return at(row).piece; }
  TextEnd end(std::int64_t row) const { return at(row).end; }

  /// Continues the conversation: tokens of the next message after what the only row holds, and up to new_tokens more.
  /// Cached positions are not computed again. Throws ValueError for several rows, and if the tokens do not fit into the
  /// cache, which then is as it was.
  void append(std::span<const std::int64_t> tokens);

  /// Positions that the cache holds and has memory for.
  std::int64_t length() const { return length_; }
  std::int64_t capacity() const { return capacity_; }
  /// The size of the cache in bytes, and as a formula: `2 rows x 1024 positions x 12 layers x 1536 numbers x 4 bytes`.
  std::int64_t cache_bytes() const;
  std::string cache_text() const;

 private:
  struct Text {
    std::vector<std::int64_t> tokens;
    std::int64_t prompt = 0, begin = 0, last = -1;  ///< new tokens are counted from `begin`
    TextEnd end = TextEnd::none;
    TextStream stream;
    std::string piece;
  };

  const Text& at(std::int64_t row) const;
  void check(const GenerateOptions& options) const;
  Tensor logits();
  void take(Text& text, std::int64_t token);
  bool is_end(std::int64_t token) const;
  void check_room(const char* what, std::int64_t added) const;
  void check_tokens(std::int64_t row, std::span<const std::int64_t> tokens) const;

  CausalModel model_;
  GenerateOptions options_;
  std::vector<Text> texts_;
  Sampler sampler_;
  KVCaches caches_;
  std::vector<std::vector<std::int64_t>> pending_;  ///< of each row: tokens that the caches lack
  std::int64_t capacity_ = 0, length_ = 0;
};

}  // namespace minima::models
