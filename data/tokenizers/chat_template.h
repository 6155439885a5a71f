#pragma once

#include <minima/data/tokenizers/tokenizer.h>
#include <minima/tensor/base/api.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minima::data {

/// A turn of a conversation. The role is `system`, `user` or `assistant`.
struct ChatMessage {
  std::string role, content;
};

/// Decides what a ChatTemplate adds to the messages.
struct ChatOptions {
  bool add_generation_prompt = true;  ///< begins the assistant's answer
  bool thinking = true;               ///< false ends Qwen 3's reasoning before it begins
  std::string date = "26 Jul 2024";   ///< `Today Date` of Llama 3.1
};

/// The form in which a model was taught conversations:
///
///     const auto chat = data::ChatTemplate::load("Qwen2.5-0.5B-Instruct");
///     std::vector<data::ChatMessage> messages{{"user", "Who wrote Genesis?"}};
///     std::vector<std::int64_t> prompt = chat.encode(tokenizer, messages);
///     net.generate(…, {.end = *tokenizer.find(chat.end_of_turn())});
///
/// Published templates are programs in Jinja. minima does not run them: it knows the text of some, and writes what they
/// write, tools apart. The names are `gpt2` (DialoGPT: contents and <|endoftext|>), `chatml`, `qwen1.5`, `qwen2`,
/// `qwen2.5`, `qwen3`, `llama3`, `llama3.1`, `mistral-v0.1`, `mistral-v0.2` (Mixtral's, too) and `mistral-nemo`.
class MINIMA_API ChatTemplate {
 public:
  /// Throws ValueError that lists the names for another one.
  static ChatTemplate named(std::string_view name);
  /// Reads the template of a model's folder: `chat_template.jinja`, otherwise `chat_template` in
  /// `tokenizer_config.json`. `path` may be either file, too. Tokens that begin and end a text are those of the
  /// configuration. Throws FormatError for a template that minima does not know, with the name of the one it resembles.
  static ChatTemplate load(const std::string& path);
  /// Recognises the text of a template.
  static ChatTemplate recognized(std::string_view jinja, const std::string& source = "chat template");
  static std::span<const std::string_view> names();

  const std::string& name() const { return name_; }
  /// The token that ends an answer, at which generation stops.
  const std::string& end_of_turn() const { return end_of_turn_; }

  /// Gives the text of transformers' `apply_chat_template(tokenize=False)`. Throws ValueError for roles, or an order of
  /// them, that the template refuses.
  std::string text(std::span<const ChatMessage> messages, const ChatOptions& options = {}) const;
  /// The tokens of `text`. Special tokens that contents spell out stay text, so no message can end itself and begin
  /// another; `transformers` would make tokens of them. Throws ValueError if the tokenizer lacks a special token.
  std::vector<std::int64_t> encode(const Tokenizer& tokenizer, std::span<const ChatMessage> messages,
                                   const ChatOptions& options = {}) const;

 private:
  struct Part {
    std::string text;
    bool is_special;
  };
  class Writer;

  ChatTemplate() = default;
  std::vector<Part> parts(std::span<const ChatMessage> messages, const ChatOptions& options) const;

  std::string name_, begin_, end_, end_of_turn_;
};

namespace detail {

/// FNV-1a of a template without white space at its ends and with line breaks spelt `\n`, as some files have them.
MINIMA_API std::uint64_t chat_fingerprint(std::string_view jinja);
/// The name of the template with this fingerprint; empty if it is unknown.
MINIMA_API std::string_view chat_name(std::uint64_t fingerprint);

}  // namespace detail

}  // namespace minima::data
