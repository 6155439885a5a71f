#pragma once

#include <minima/data/tokenizers/tokenizer.h>
#include <minima/models/language/generate.h>
#include <minima/models/language/generation.h>
#include <minima/tensor/base/api.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace minima::data {

/// A text as a model writes it, in pieces that can be printed as they come:
///
///     for (const std::string& piece : data::TextGeneration(net.causal(), tokenizer, "In the beginning",
///                                                          {.new_tokens = 100, .temperature = 0.8, .top_p = 0.9}))
///       std::fputs(piece.c_str(), stdout);
///
/// A piece ends with a whole character of UTF-8 and never holds the beginning of a stop string; a token that settles
/// nothing gives no piece. Special tokens have no text. The range can be gone through once; a conversation goes on with
/// `append`, whose tokens ChatTemplate makes.
class MINIMA_API TextGeneration {
 public:
  /// Sets GenerateOptions::text to the tokenizer's. Throws as Generation does.
  TextGeneration(models::CausalModel model, const Tokenizer& tokenizer, std::string_view prompt,
                 const models::GenerateOptions& options = {});
  TextGeneration(models::CausalModel model, const Tokenizer& tokenizer, std::vector<std::int64_t> prompt,
                 const models::GenerateOptions& options = {});

  /// Computes the next piece that is not empty. False at the end of the text.
  bool next();
  const std::string& piece() const { return generation_.piece(0); }

  class Iterator {
   public:
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(TextGeneration* text = nullptr) : text_(text) {}
    const std::string& operator*() const { return text_->piece(); }
    Iterator& operator++() {
      if (!text_->next()) text_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return text_ == nullptr; }

   private:
    TextGeneration* text_;
  };
  Iterator begin() { return Iterator(next() ? this : nullptr); }
  std::default_sentinel_t end() { return {}; }

  /// The tokens, caches and ends behind the text.
  models::Generation& generation() { return generation_; }

 private:
  models::Generation generation_;
};

}  // namespace minima::data
