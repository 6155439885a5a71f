#include <minima/data/tokenizers/tokenizer.h>

#include <minima/data/tokenizers/split.h>
#include <minima/data/tokenizers/tables.h>
#include <minima/io/files/atomic_file.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace minima::data {

namespace {

using Token = Tokenizer::Tables::Token;

std::string byte_characters(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += detail::byte_character(static_cast<std::uint8_t>(byte));
  return text;
}

Json typed(const char* type, std::vector<Json::Member> members = {}) {
  members.insert(members.begin(), {"type", type});
  return Json::object(std::move(members));
}

Json byte_level_json(bool adds_space, bool has_pattern) {
  return typed("ByteLevel", {{"add_prefix_space", adds_space}, {"trim_offsets", false}, {"use_regex", has_pattern}});
}

Json pre_tokenizer_json(const Tokenizer::Tables& tables) {
  if (tables.pattern == SplitPattern::none || tables.pattern == SplitPattern::gpt2)
    return byte_level_json(tables.adds_space, tables.pattern == SplitPattern::gpt2);
  Json split =
      typed("Split", {{"pattern", Json::object({{"Regex", std::string(detail::regular_expression(tables.pattern))}})},
                      {"behavior", "Isolated"},
                      {"invert", false}});
  return typed("Sequence",
               {{"pretokenizers", Json::array({std::move(split), byte_level_json(tables.adds_space, false)})}});
}

Json template_json(const Tokenizer::Tables& tables) {
  if (tables.before.empty() && tables.after.empty()) return byte_level_json(false, true);
  Json single = Json::array(), special = Json::object();
  const auto sequence = [](const char* name) {
    return Json::object({{"Sequence", Json::object({{"id", name}, {"type_id", 0}})}});
  };
  const auto add = [&](Token token) {
    const std::string& name = tables.tokens[token];
    single.push_back(Json::object({{"SpecialToken", Json::object({{"id", name}, {"type_id", 0}})}}));
    special.set(
        name, Json::object({{"id", name}, {"ids", Json::array({Json(token)})}, {"tokens", Json::array({Json(name)})}}));
  };
  for (const Token token : tables.before) add(token);
  single.push_back(sequence("A"));
  for (const Token token : tables.after) add(token);
  Json pair = single;
  pair.push_back(sequence("B"));
  return typed("TemplateProcessing",
               {{"single", std::move(single)}, {"pair", std::move(pair)}, {"special_tokens", std::move(special)}});
}

}  // namespace

void Tokenizer::save(const std::string& path) const {
  const Tables& tables = *tables_;
  std::vector<bool> is_added(tables.tokens.size(), false);
  Json added = Json::array(), vocabulary = Json::object(), merges = Json::array();
  for (const auto& [token, is_special, is_normalized] : tables.added) {
    is_added[token] = true;
    added.push_back(Json::object({{"id", token},
                                  {"content", tables.tokens[token]},
                                  {"single_word", false},
                                  {"lstrip", false},
                                  {"rstrip", false},
                                  {"normalized", is_normalized},
                                  {"special", is_special}}));
  }
  std::vector<Json::Member> entries;
  entries.reserve(tables.tokens.size());
  std::unordered_set<std::string_view> special;
  for (const auto& item : tables.added) special.insert(tables.tokens[item.token]);
  for (Token token = 0; token < tables.tokens.size(); ++token) {
    const std::string text = is_added[token] ? tables.tokens[token] : byte_characters(tables.tokens[token]);
    if (!is_added[token] && special.contains(text))
      throw ValueError(str("Tokenizer::save: the special token \"", minima::detail::printable(text),
                           "\" is also how tokenizer.json spells token ", token, "; rename it"));
    entries.emplace_back(text, token);
  }
  vocabulary = Json::object(std::move(entries));
  for (const auto& [left, right] : tables.merges)
    merges.push_back(
        Json::array({Json(byte_characters(tables.tokens[left])), Json(byte_characters(tables.tokens[right]))}));
  Json model = typed("BPE", {{"dropout", Json()},
                             {"unk_token", Json()},
                             {"continuing_subword_prefix", Json()},
                             {"end_of_word_suffix", Json()},
                             {"fuse_unk", false},
                             {"byte_fallback", false},
                             {"ignore_merges", tables.ignores_merges},
                             {"vocab", std::move(vocabulary)},
                             {"merges", std::move(merges)}});
  Json file = Json::object(
      {{"version", "1.0"}, {"truncation", Json()}, {"padding", Json()}, {"added_tokens", std::move(added)}});
  file.set("normalizer", tables.normalizes ? typed("NFC") : Json());
  file.set("pre_tokenizer", pre_tokenizer_json(tables));
  file.set("post_processor", template_json(tables));
  file.set("decoder", byte_level_json(false, true));
  file.set("model", std::move(model));
  write_file(path, file.text(2));
}

}  // namespace minima::data
