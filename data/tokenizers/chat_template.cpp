#include <minima/data/tokenizers/chat_template.h>

#include <minima/data/tokenizers/tokenizer.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minima::data {

namespace detail {

namespace {

struct KnownTemplate {
  std::uint64_t fingerprint;
  std::string_view name;
};

// Printed by tests/fixtures/chat/generate_chat.py.
constexpr KnownTemplate known_templates[] = {
    {0x008be9440142e81d, "gpt2"},         {0x17fde6ecda9c7c01, "chatml"},       {0xa41d6bae9b9141bc, "chatml"},
    {0x049cd3d51562e165, "qwen1.5"},      {0x75e88977b2787cd7, "qwen2"},        {0x6daf6706ed25369f, "qwen2.5"},
    {0x46ec9ad61aceaac6, "qwen3"},        {0x32844fd43eab01d2, "llama3"},       {0x66031642dd695b34, "llama3.1"},
    {0xc730acc029ce6ee0, "mistral-v0.1"}, {0x8c734b90b4f8d84d, "mistral-v0.2"}, {0xca91bc1982625e56, "mistral-nemo"},
};

constexpr std::string_view white_space = " \t\r\n";

std::string_view stripped(std::string_view text, std::string_view characters) {
  const std::size_t first = text.find_first_not_of(characters);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(characters) - first + 1);
}

std::string_view left_stripped(std::string_view text, std::string_view characters) {
  return text.substr(std::min(text.find_first_not_of(characters), text.size()));
}

}  // namespace

std::uint64_t chat_fingerprint(std::string_view jinja) {
  std::uint64_t value = 0xCBF29CE484222325u;
  const auto add = [&value](char byte) { value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001B3u; };
  for (const char byte : stripped(jinja, white_space)) {
    if (byte == '\n') add('\\');
    add(byte == '\n' ? 'n' : byte);
  }
  return value;
}

std::string_view chat_name(std::uint64_t fingerprint) {
  for (const KnownTemplate& known : known_templates)
    if (known.fingerprint == fingerprint) return known.name;
  return {};
}

}  // namespace detail

namespace {

constexpr std::array<std::string_view, 11> chat_names{"gpt2",         "chatml",       "qwen1.5",     "qwen2",
                                                      "qwen2.5",      "qwen3",        "llama3",      "llama3.1",
                                                      "mistral-v0.1", "mistral-v0.2", "mistral-nemo"};

std::string names_list() {
  std::string list;
  for (const std::string_view name : chat_names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

/// The known template that an unknown one resembles, by its special tokens.
std::string_view resembled(std::string_view jinja) {
  const auto has = [jinja](std::string_view text) { return jinja.find(text) != jinja.npos; };
  if (has("<|im_start|>")) return has("enable_thinking") ? "qwen3" : "chatml";
  if (has("<|start_header_id|>")) return has("Cutting Knowledge") ? "llama3.1" : "llama3";
  if (has("[INST]") && !has("<<SYS>>")) return has("\"[INST]\"") ? "mistral-nemo" : "mistral-v0.2";
  return {};
}

std::string file_text(const std::filesystem::path& path) {
  const MappedFile file(path.string());
  return std::string(file.text());
}

/// A token of tokenizer_config.json: a string, or an object with its content.
void read_token(const Json& config, const char* key, std::string& token) {
  const Json* found = config.find(key);
  if (found && found->kind() == Json::Kind::object) found = found->find("content");
  if (found && found->kind() == Json::Kind::string) token = found->string();
}

/// `chat_template`: a text, or a list of named ones, of which the default counts.
std::string template_text(const Json& config, const std::string& path) {
  const Json* found = config.find("chat_template");
  if (found && found->kind() == Json::Kind::string) return found->string();
  if (found && found->kind() == Json::Kind::array)
    for (const Json& each : found->items())
      if (each.kind() == Json::Kind::object && each.find("name") && *each.find("name") == Json("default") &&
          each.find("template"))
        return each.at("template").string();
  throw FormatError(path + ": there is no chat_template, so the model knows no conversations; choose one by " +
                    "ChatTemplate::named (" + names_list() + ")");
}

}  // namespace

/// Collects what a template writes; neighbouring plain texts become one, as the tokenizer sees them.
class ChatTemplate::Writer {
 public:
  explicit Writer(std::vector<Part>& to) : to_(to) {}

  Writer& special(std::string_view token) {
    if (!token.empty()) to_.push_back({std::string(token), true});
    return *this;
  }
  Writer& plain(std::string_view text) {
    if (text.empty()) return *this;
    if (to_.empty() || to_.back().is_special) to_.push_back({"", false});
    to_.back().text += text;
    return *this;
  }

  void im(std::string_view role, std::string_view content, bool ends = true) {
    special("<|im_start|>").plain(role).plain("\n").plain(content);
    if (ends) special("<|im_end|>").plain("\n");
  }
  void header(std::string_view role) {
    special("<|start_header_id|>").plain(role).special("<|end_header_id|>").plain("\n\n");
  }

 private:
  std::vector<Part>& to_;
};

namespace {

/// The two parts of an assistant's text: its reasoning and its answer.
struct ThoughtAndAnswer {
  std::string_view thought, answer;
};
ThoughtAndAnswer separated(std::string_view content) {
  constexpr std::string_view open = "<think>", close = "</think>";
  const std::size_t first = content.find(close);
  if (first == content.npos) return {"", content};
  const std::size_t last = content.rfind(close);
  std::string_view thought = content.substr(0, first);
  if (const std::size_t begin = thought.rfind(open); begin != thought.npos) thought.remove_prefix(begin + open.size());
  return {detail::stripped(thought, "\n"), detail::left_stripped(content.substr(last + close.size()), "\n")};
}

bool is_tool_response(std::string_view content) {
  return content.starts_with("<tool_response>") && content.ends_with("</tool_response>");
}

/// The system's message, the text that a template has in its place, or none.
std::string_view default_system(std::string_view name) {
  if (name == "qwen1.5") return "You are a helpful assistant";
  if (name == "qwen2") return "You are a helpful assistant.";
  if (name == "qwen2.5") return "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.";
  return {};
}

/// Mistral's templates refuse conversations in which the user and the assistant do not take turns.
void check_turns(const std::string& name, std::span<const ChatMessage> messages) {
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (messages[i].role != (i % 2 == 0 ? "user" : "assistant"))
      throw ValueError(str("ChatTemplate: ", name, " needs user and assistant in turn, but message ", i, " is the ",
                           minima::detail::printable(messages[i].role), "'s",
                           name == "mistral-nemo" ? " (a system message may come first)" : ""));
}

}  // namespace

std::span<const std::string_view> ChatTemplate::names() { return chat_names; }

ChatTemplate ChatTemplate::named(std::string_view name) {
  if (std::ranges::find(chat_names, name) == chat_names.end())
    throw ValueError(
        str("ChatTemplate: there is no \"", minima::detail::printable(name), "\"; the names are ", names_list()));
  ChatTemplate chat;
  chat.name_ = name;
  if (name == "gpt2") {
    chat.end_ = chat.end_of_turn_ = "<|endoftext|>";
  } else if (name.starts_with("llama3")) {
    chat.begin_ = "<|begin_of_text|>";
    chat.end_of_turn_ = "<|eot_id|>";
  } else if (name.starts_with("mistral")) {
    chat.begin_ = "<s>";
    chat.end_ = chat.end_of_turn_ = "</s>";
  } else {
    chat.end_of_turn_ = "<|im_end|>";
  }
  return chat;
}

ChatTemplate ChatTemplate::recognized(std::string_view jinja, const std::string& source) {
  const std::string_view name = detail::chat_name(detail::chat_fingerprint(jinja));
  if (!name.empty()) return named(name);
  const std::string_view similar = resembled(jinja);
  throw FormatError(source + ": an unknown chat template" +
                    (similar.empty() ? "; its form is none of " + names_list()
                                     : "; it resembles " + std::string(similar) + ", but may write something else") +
                    ". minima knows published templates by their text and runs no Jinja: compare what transformers' "
                    "apply_chat_template gives, then choose one by ChatTemplate::named" +
                    (similar.empty() ? ", or write the prompt yourself" : "(\"" + std::string(similar) + "\")"));
}

ChatTemplate ChatTemplate::load(const std::string& path) {
  namespace fs = std::filesystem;
  const bool is_folder = fs::is_directory(path);
  const fs::path folder = is_folder ? fs::path(path) : fs::path(path).parent_path();
  const fs::path config_path =
      is_folder || path.ends_with(".jinja") ? folder / "tokenizer_config.json" : fs::path(path);
  const fs::path jinja_path = is_folder ? folder / "chat_template.jinja" : fs::path(path);
  const bool has_jinja = jinja_path.extension() == ".jinja" && fs::exists(jinja_path);
  Json config = Json::object();
  if (!has_jinja || fs::exists(config_path)) config = Json::parse(file_text(config_path), config_path.string());
  if (config.kind() != Json::Kind::object) throw FormatError(config_path.string() + ": byte 0: expected an object");
  ChatTemplate chat = has_jinja ? recognized(file_text(jinja_path), jinja_path.string())
                                : recognized(template_text(config, config_path.string()), config_path.string());
  if (!chat.begin_.empty()) read_token(config, "bos_token", chat.begin_);
  if (!chat.end_.empty()) {
    read_token(config, "eos_token", chat.end_);
    chat.end_of_turn_ = chat.end_;
  }
  return chat;
}

auto ChatTemplate::parts(std::span<const ChatMessage> messages, const ChatOptions& options) const -> std::vector<Part> {
  std::vector<Part> all;
  Writer out(all);
  if (messages.empty()) throw ValueError("ChatTemplate: a conversation needs at least one message");
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (messages[i].role != "system" && messages[i].role != "user" && messages[i].role != "assistant")
      throw ValueError(str("ChatTemplate: the role of message ", i, " is \"",
                           minima::detail::printable(messages[i].role),
                           "\"; roles are system, user and assistant (tools are not supported)"));
  const bool has_system = messages.front().role == "system", prompts = options.add_generation_prompt;
  if (name_ == "gpt2") {
    for (const ChatMessage& each : messages) out.plain(each.content).special(end_);
  } else if (name_.starts_with("llama3")) {
    out.special(begin_);
    if (name_ == "llama3.1") {
      out.header("system");
      out.plain("Cutting Knowledge Date: December 2023\nToday Date: ").plain(options.date).plain("\n\n");
      if (has_system) out.plain(detail::stripped(messages.front().content, detail::white_space));
      out.special("<|eot_id|>");
      if (has_system) messages = messages.subspan(1);
    }
    for (const ChatMessage& each : messages) {
      out.header(each.role);
      out.plain(detail::stripped(each.content, detail::white_space)).special("<|eot_id|>");
    }
    if (prompts) out.header("assistant");
  } else if (name_.starts_with("mistral")) {
    std::string_view system;
    const bool is_nemo = name_ == "mistral-nemo", takes_system = is_nemo && has_system;
    if (takes_system) system = messages.front().content, messages = messages.subspan(1);
    check_turns(name_, messages);
    out.special(begin_);
    for (const ChatMessage& each : messages) {
      if (each.role == "assistant") {
        out.plain(each.content).special(end_).plain(name_ == "mistral-v0.1" ? " " : "");
      } else if (is_nemo) {
        out.special("[INST]");
        if (takes_system && &each == &messages.back()) out.plain(system).plain("\n\n");
        out.plain(each.content).special("[/INST]");
      } else {
        out.plain("[INST] ").plain(each.content).plain(" [/INST]");
      }
    }
  } else {
    const bool is_old = name_ == "qwen1.5", reasons = name_ == "qwen3";
    if (const std::string_view system = default_system(name_); !has_system && !system.empty()) out.im("system", system);
    std::size_t last_query = messages.size() - 1;  // Qwen 3 keeps the thoughts of the answer that is being given
    for (std::size_t i = messages.size(); reasons && i-- > 0;)
      if (messages[i].role == "user" && !is_tool_response(messages[i].content)) {
        last_query = i;
        break;
      }
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto& [role, content] = messages[i];
      const bool is_last = i + 1 == messages.size();
      if (reasons && role == "assistant") {
        const auto [thought, answer] = separated(content);
        std::string text(answer);
        if (i > last_query && (is_last || !thought.empty()))
          text = str("<think>\n", std::string(thought), "\n</think>\n\n",
                     std::string(detail::left_stripped(answer, "\n")));
        out.im(role, text);
      } else {
        out.im(role, content, !is_old || !is_last || prompts);
      }
    }
    if (prompts && !(is_old && messages.back().role == "assistant")) {
      out.im("assistant", reasons && !options.thinking ? "<think>\n\n</think>\n\n" : "", false);
    }
  }
  return all;
}

std::string ChatTemplate::text(std::span<const ChatMessage> messages, const ChatOptions& options) const {
  std::string all;
  for (const Part& part : parts(messages, options)) all += part.text;
  return all;
}

std::vector<std::int64_t> ChatTemplate::encode(const Tokenizer& tokenizer, std::span<const ChatMessage> messages,
                                               const ChatOptions& options) const {
  std::vector<std::int64_t> tokens;
  for (const Part& part : parts(messages, options)) {
    if (!part.is_special) {
      const auto plain = tokenizer.encode(part.text, {.add_special_tokens = false, .parse_special = false});
      tokens.insert(tokens.end(), plain.begin(), plain.end());
      continue;
    }
    const auto token = tokenizer.find(part.text);
    if (!token)
      throw ValueError(str("ChatTemplate: the tokenizer has no token ", minima::detail::printable(part.text),
                           ", which ", name_, " needs; is it the model's?"));
    tokens.push_back(*token);
  }
  return tokens;
}

}  // namespace minima::data
