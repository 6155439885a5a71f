#include <minima/data/tokenizers/tokenizer.h>

#include <minima/data/tokenizers/model_reader.h>
#include <minima/data/tokenizers/split.h>
#include <minima/data/tokenizers/tables.h>
#include <minima/data/tokenizers/unicode.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/text/json_reader.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

// tokenizer.json is read as far as it describes byte-level BPE. A part that would change what `encode` returns and is
// not understood is an error; a part that only concerns other languages' objects is skipped.

namespace minima::data {

namespace {

using Token = Tokenizer::Tables::Token;
using detail::ByteReader;
using detail::ModelReader;
constexpr std::array all_patterns{SplitPattern::gpt2, SplitPattern::llama3, SplitPattern::qwen2,
                                  SplitPattern::characters};

class FileReader {
 public:
  FileReader(JsonReader& in, Tokenizer::Tables& tables) : in_(in), tables_(tables), model_(in, tables) {}

  void read() {
    bool has_model = false;
    in_.begin_object();
    for (std::string key; in_.next_key(key);) {
      if (key == "model") has_model = true, read_model();
      else if (key == "added_tokens") read_added_tokens();
      else if (key == "normalizer") read_normalizer();
      else if (key == "pre_tokenizer") read_pre_tokenizer();
      else if (key == "post_processor") read_post_processor();
      else if (key == "decoder") read_decoder();
      else in_.skip();  // version, truncation and padding, which callers do
    }
    in_.end();
    if (!has_model) in_.fail("no \"model\": this is not a tokenizer.json");
    if (!is_byte_level_) in_.fail("neither pre_tokenizer nor decoder is ByteLevel; only byte-level BPE is read");
    for (const auto& [token, text] : added_texts_) model_.place(token, text);
    for (Token token = 0; token < tables_.tokens.size(); ++token)
      if (tables_.tokens[token].empty()) in_.fail(str("no token has the number ", token));
    model_.link();
    for (const std::string& name : before_) tables_.before.push_back(special(name));
    for (const std::string& name : after_) tables_.after.push_back(special(name));
  }

 private:
  using Kind = JsonReader::Kind;

  Token special(const std::string& name) const {
    for (const auto& added : tables_.added)
      if (tables_.tokens[added.token] == name) return added.token;
    in_.fail("the template's token \"" + minima::detail::printable(name) + "\" is not among the added tokens");
  }

  /// The value of a key that must be null, false or empty.
  void expect_off(const std::string& key) {
    switch (in_.peek()) {
      case Kind::null: return in_.null();
      case Kind::boolean:
        if (in_.boolean()) in_.fail("\"" + key + "\" is not supported");
        return;
      case Kind::string:
        if (!in_.string().empty())
          in_.fail("\"" + key + "\" is not supported: it belongs to SentencePiece or WordPiece");
        return;
      default: in_.fail("\"" + key + "\" is not supported");
    }
  }

  void expect_model_type(const std::string& type) const {
    if (type == "WordPiece") in_.fail("a WordPiece model (BERT's); only byte-level BPE is read");
    if (type == "Unigram") in_.fail("a Unigram model (SentencePiece's); only byte-level BPE is read");
    if (type != "BPE")
      in_.fail("a model of type \"" + minima::detail::printable(type) + "\"; only byte-level BPE is read");
  }

  void read_model() {
    in_.begin_object();
    for (std::string key; in_.next_key(key);) {
      if (key == "type") expect_model_type(in_.string());
      else if (key == "vocab") {
        if (in_.peek() != Kind::object)
          in_.fail("\"vocab\" is a list, as of a Unigram model (SentencePiece's); only byte-level BPE is read");
        model_.vocabulary();
      } else if (key == "merges") model_.merges();
      else if (key == "ignore_merges") tables_.ignores_merges = in_.boolean();
      else if (key == "dropout" || key == "continuing_subword_prefix" || key == "end_of_word_suffix" ||
               key == "byte_fallback")
        expect_off(key);
      else in_.skip();  // unk_token and fuse_unk: every byte is known
    }
  }

  void read_added_tokens() {
    in_.begin_array();
    while (in_.next_item()) {
      Token token = 0;
      std::string content;
      bool is_special = false, is_normalized = false;
      in_.begin_object();
      for (std::string key; in_.next_key(key);) {
        if (key == "id") token = model_.token_number();
        else if (key == "content") content = in_.string();
        else if (key == "special") is_special = in_.boolean();
        else if (key == "normalized") is_normalized = in_.boolean();
        else if (key == "single_word" || key == "lstrip" || key == "rstrip") expect_off(key);
        else in_.skip();
      }
      if (content.empty()) in_.fail("an added token without content");
      tables_.added.push_back({token, is_special, is_normalized});
      model_.expect_text(token, content);
      added_texts_.emplace_back(token, content);
    }
  }

  /// The members of {"type": TYPE, …}; an array of such for a Sequence.
  void read_steps(const char* list, void (FileReader::*step)(const std::string& type)) {
    if (in_.peek() == Kind::null) return in_.null();
    in_.begin_object();
    for (std::string key; in_.next_key(key);) {
      if (key != "type") in_.fail("\"type\" comes first");
      const std::string type = in_.string();
      if (type != "Sequence") {
        (this->*step)(type);
        return;
      }
      while (in_.next_key(key)) {
        if (key != list) in_.fail("a Sequence has \"" + std::string(list) + "\"");
        in_.begin_array();
        while (in_.next_item()) read_steps(list, step);
      }
      return;
    }
  }

  void read_normalizer() { read_steps("normalizers", &FileReader::normalizer); }
  void read_pre_tokenizer() { read_steps("pretokenizers", &FileReader::pre_tokenizer); }
  void read_post_processor() { read_steps("processors", &FileReader::post_processor); }
  void read_decoder() { read_steps("decoders", &FileReader::decoder); }

  void skip_rest() {
    for (std::string key; in_.next_key(key);) in_.skip();
  }

  void normalizer(const std::string& type) {
    if (type != "NFC") in_.fail("the normalizer \"" + minima::detail::printable(type) + "\"; only NFC is supported");
    tables_.normalizes = true;
    skip_rest();
  }

  void pre_tokenizer(const std::string& type) {
    if (type == "ByteLevel") byte_level();
    else if (type == "Split") split();
    else
      in_.fail("the pre-tokenizer \"" + minima::detail::printable(type) + "\"; only ByteLevel and Split are supported");
  }

  void byte_level() {
    is_byte_level_ = true;
    bool has_pattern = true;
    const bool is_split = tables_.pattern != SplitPattern::none;
    for (std::string key; in_.next_key(key);) {
      if (key == "add_prefix_space") tables_.adds_space = in_.boolean();
      else if (key == "use_regex") has_pattern = in_.boolean();
      else in_.skip();
    }
    if (is_split && tables_.adds_space)
      in_.fail("\"add_prefix_space\" after a Split, which would put a space before every piece, is not supported");
    if (has_pattern) set_pattern(SplitPattern::gpt2);
  }

  void split() {
    std::string expression, behavior = "Isolated";
    for (std::string key; in_.next_key(key);) {
      if (key == "pattern") {
        in_.begin_object();
        for (std::string kind; in_.next_key(kind);) {
          expression = in_.string();
          if (kind != "Regex")
            in_.fail("a Split by \"" + minima::detail::printable(kind) +
                     "\"; only the published patterns are supported");
        }
      } else if (key == "behavior") behavior = in_.string();
      else if (key == "invert") expect_off(key);
      else in_.skip();
    }
    for (const SplitPattern known : all_patterns)
      if (expression == detail::regular_expression(known) && behavior == "Isolated") return set_pattern(known);
    in_.fail("a Split by the pattern " + minima::detail::printable(expression) +
             "; those of GPT-2, Llama 3 and Qwen are supported");
  }

  void set_pattern(SplitPattern pattern) {
    if (tables_.pattern != SplitPattern::none) in_.fail("two splitting patterns, one after the other");
    tables_.pattern = pattern;
  }

  void post_processor(const std::string& type) {
    if (type == "TemplateProcessing") return read_template();
    if (type != "ByteLevel")
      in_.fail("the post-processor \"" + minima::detail::printable(type) + "\" is not supported");
    skip_rest();
  }

  /// Reads the tokens that "single" puts before and after the sequence A.
  void read_template() {
    for (std::string key; in_.next_key(key);) {
      if (key != "single") {
        in_.skip();
        continue;
      }
      auto* side = &before_;
      in_.begin_array();
      while (in_.next_item()) {
        in_.begin_object();
        for (std::string kind; in_.next_key(kind);) {
          if (kind == "Sequence") side = &after_;
          in_.begin_object();
          for (std::string field; in_.next_key(field);) {
            if (field == "id" && kind == "SpecialToken") side->push_back(in_.string());
            else in_.skip();
          }
        }
      }
    }
  }

  void decoder(const std::string& type) {
    if (type != "ByteLevel")
      in_.fail("the decoder \"" + minima::detail::printable(type) + "\"; only byte-level BPE is read");
    is_byte_level_ = true;
    skip_rest();
  }

  JsonReader& in_;
  Tokenizer::Tables& tables_;
  ModelReader model_;
  bool is_byte_level_ = false;
  std::vector<std::pair<Token, std::string>> added_texts_;
  std::vector<std::string> before_, after_;
};

Tokenizer finished(std::shared_ptr<Tokenizer::Tables> tables, const std::string& path) {
  if ((tables->pattern != SplitPattern::none && tables->pattern != SplitPattern::characters) || tables->normalizes)
    detail::require_unicode(path);
  try {
    tables->finish();
  } catch (const ValueError& error) {
    throw FormatError(path + ": " + error.what());
  }
  return Tokenizer(std::move(tables));
}

/// GPT-2's pair of files.
Tokenizer load_pair(const std::string& vocabulary_path, const std::string& merges_path) {
  auto tables = std::make_shared<Tokenizer::Tables>();
  tables->pattern = SplitPattern::gpt2;
  const MappedFile vocabulary(vocabulary_path), merges(merges_path);
  JsonReader in(vocabulary.text(), vocabulary_path);
  const ByteReader bytes;
  ModelReader model(in, *tables);
  model.vocabulary();
  in.end();
  std::unordered_map<std::string_view, Token> numbers;
  for (Token token = 0; token < tables->tokens.size(); ++token) {
    if (tables->tokens[token].empty()) in.fail(str("no token has the number ", token));
    numbers.emplace(tables->tokens[token], token);
  }
  // GPT-2's only special token is spelt in plain characters.
  if (const auto end = numbers.find("<|endoftext|>"); end != numbers.end()) tables->added.push_back({end->second});
  std::string_view rest = merges.text();
  for (std::size_t at = 0; !rest.empty();) {
    const std::size_t length = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, length);
    rest.remove_prefix(std::min(length + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t space = line.find(' ');
    if (!line.empty() && !line.starts_with("#version")) {
      Token pair[2] = {};
      const std::string_view parts[2] = {line.substr(0, space), space == line.npos ? "" : line.substr(space + 1)};
      for (int i = 0; i < 2; ++i) {
        const auto found = numbers.find(bytes.read(parts[i], in));
        if (found == numbers.end())
          minima::detail::throw_format_error(
              merges_path, at, "\"" + std::string(line) + "\" is no merge of two tokens of the vocabulary");
        pair[i] = found->second;
      }
      tables->merges.emplace_back(pair[0], pair[1]);
    }
    at += length + 1;
  }
  return finished(std::move(tables), merges_path);
}

}  // namespace

Tokenizer Tokenizer::load(const std::string& path) {
  namespace fs = std::filesystem;
  if (fs::is_directory(path)) {
    const fs::path folder(path);
    if (fs::exists(folder / "tokenizer.json")) return load((folder / "tokenizer.json").string());
    if (fs::exists(folder / "vocab.json")) return load((folder / "vocab.json").string());
    if (fs::exists(folder / "tokenizer.model"))
      throw FormatError(path +
                        ": tokenizer.model is SentencePiece's; only byte-level BPE is read, from tokenizer.json");
    throw FileError(path + ": the folder has neither tokenizer.json nor vocab.json");
  }
  const fs::path merges = fs::path(path).parent_path() / "merges.txt";
  if (fs::path(path).filename() == "vocab.json" && fs::exists(merges)) return load_pair(path, merges.string());
  const MappedFile file(path);
  JsonReader in(file.text(), path);
  auto tables = std::make_shared<Tables>();
  FileReader(in, *tables).read();
  return finished(std::move(tables), path);
}

}  // namespace minima::data
