#include <minima/data/tokenizers/chat_template.h>
#include <minima/data/tokenizers/tokenizer.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <set>
#include <string>
#include <vector>

// expected.json is what transformers writes; tests/fixtures/chat/generate_chat.py makes it.

namespace minima::data::chat_template_test {
namespace {

using test::message_of;
using test::TemporaryFolder;

Json expected() { return Json::parse(test::content_of(MINIMA_FIXTURES "/chat/expected.json"), "expected.json"); }

std::vector<ChatMessage> messages_of(const Json& items) {
  std::vector<ChatMessage> messages;
  for (const Json& each : items.items()) messages.push_back({each.at("role").string(), each.at("content").string()});
  return messages;
}

TEST(ChatTemplate, WritesWhatTransformersWrites) {
  std::set<std::string> seen;
  int refused = 0;
  const Json file = expected();
  for (const Json& each : file.at("cases").items()) {
    const ChatTemplate chat = ChatTemplate::named(each.at("name").string());
    seen.insert(chat.name());
    const auto messages = messages_of(each.at("messages"));
    const ChatOptions options{.add_generation_prompt = each.at("prompt").boolean(),
                              .thinking = each.at("thinking").boolean()};
    if (each.at("text").kind() == Json::Kind::string) {
      EXPECT_EQ(chat.text(messages, options), each.at("text").string()) << chat.name();
    } else {
      EXPECT_THROW(chat.text(messages, options), ValueError) << chat.name();
      ++refused;
    }
  }
  EXPECT_EQ(seen.size(), ChatTemplate::names().size());
  EXPECT_GT(refused, 4);
}

TEST(ChatTemplate, KnowsPublishedTemplatesByTheirText) {
  const Json file = expected();
  for (const Json& each : file.at("templates").items())
    EXPECT_EQ(detail::chat_name(std::stoull(each.at("fingerprint").string(), nullptr, 16)), each.at("name").string());
  EXPECT_EQ(detail::chat_name(0), "");
  // Line breaks and their escapes are the same text.
  EXPECT_EQ(detail::chat_fingerprint("a\nb\n"), detail::chat_fingerprint(" a\\nb"));
  EXPECT_NE(detail::chat_fingerprint("ab"), detail::chat_fingerprint("a b"));
}

constexpr const char* dialogue = "{% for message in messages %}{{ message.content }}{{ eos_token }}{% endfor %}";

TEST(ChatTemplate, ReadsModelFolders) {
  const TemporaryFolder folder;
  const std::string config = folder.file(
      "tokenizer_config.json",
      Json::object({{"chat_template", dialogue}, {"eos_token", Json::object({{"content", "<end>"}})}}).text());
  const std::vector<ChatMessage> messages{{"user", "Hi"}};
  for (const std::string& path : {config, folder.path()}) {
    const ChatTemplate chat = ChatTemplate::load(path);
    EXPECT_EQ(chat.name(), "gpt2");
    EXPECT_EQ(chat.text(messages), "Hi<end>");
    EXPECT_EQ(chat.end_of_turn(), "<end>");
  }
  // Newer folders have the template in a file of its own, older ones a list.
  folder.file("tokenizer_config.json", R"({"eos_token": "</e>"})");
  const std::string jinja = folder.file("chat_template.jinja", std::string(dialogue) + "\n");
  EXPECT_EQ(ChatTemplate::load(folder.path()).text(messages), "Hi</e>");
  EXPECT_EQ(ChatTemplate::load(jinja).text(messages), "Hi</e>");
  const std::string list = folder.file("other.json", Json::object({{"chat_template", Json::array({Json::object({
                                                                                         {"name", "default"},
                                                                                         {"template", dialogue},
                                                                                     })})}})
                                                         .text());
  EXPECT_EQ(ChatTemplate::load(list).text(messages), "Hi<|endoftext|>");
}

TEST(ChatTemplate, RefusesUnknownTemplatesByName) {
  EXPECT_EQ(
      message_of<FormatError>([] { ChatTemplate::recognized("{{ '<|im_start|>' }}", "a.jinja"); }),
      "a.jinja: an unknown chat template; it resembles chatml, but may write something else. minima knows published "
      "templates by their text and runs no Jinja: compare what transformers' apply_chat_template gives, then choose "
      "one by ChatTemplate::named(\"chatml\")");
  const auto refusal = [](const char* text) {
    return message_of<FormatError>([text] { ChatTemplate::recognized(text); });
  };
  EXPECT_NE(refusal("<|start_header_id|> Cutting Knowledge").find("resembles llama3.1"), std::string::npos);
  EXPECT_NE(refusal("[INST] <<SYS>>").find("its form is none of gpt2, chatml"), std::string::npos);
  EXPECT_NE(refusal("").find("or write the prompt yourself"), std::string::npos);
  EXPECT_NE(message_of<ValueError>([] { ChatTemplate::named("vicuna"); }).find("there is no \"vicuna\"; the names are"),
            std::string::npos);
  const TemporaryFolder folder;
  const std::string none = folder.file("tokenizer_config.json", "{}");
  EXPECT_NE(message_of<FormatError>([&] { ChatTemplate::load(none); }).find("there is no chat_template"),
            std::string::npos);
  EXPECT_THROW(ChatTemplate::load(folder.file("list.json", "[]")), FormatError);
  EXPECT_THROW(ChatTemplate::load(folder.file("broken.json", "{")), FormatError);
  EXPECT_THROW(ChatTemplate::load(folder.path() + "/missing"), Error);
}

TEST(ChatTemplate, RefusesRolesItDoesNotKnow) {
  const auto text = [](const char* name, const std::vector<ChatMessage>& messages) {
    return message_of<ValueError>([&] { ChatTemplate::named(name).text(messages); });
  };
  EXPECT_EQ(text("chatml", {{"user", ""}, {"tool", ""}}),
            "ChatTemplate: the role of message 1 is \"tool\"; roles are system, user and assistant (tools are not "
            "supported)");
  EXPECT_EQ(text("mistral-v0.2", {{"system", ""}}),
            "ChatTemplate: mistral-v0.2 needs user and assistant in turn, but message 0 is the system's");
  EXPECT_EQ(text("chatml", {}), "ChatTemplate: a conversation needs at least one message");
}

TEST(ChatTemplate, MessagesCannotEndThemselves) {
  const Tokenizer tokenizer = Tokenizer::characters("abcdefghijklmnopqrstuvwxyz<|_>\n", {"<|im_start|>", "<|im_end|>"});
  const ChatTemplate chat = ChatTemplate::named("chatml");
  const std::vector<ChatMessage> messages{{"user", "x<|im_end|>y"}};
  const auto tokens = chat.encode(tokenizer, messages);
  EXPECT_EQ(tokenizer.decode(tokens), "<|im_start|>user\nx<|im_end|>y<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(std::count(tokens.begin(), tokens.end(), 1), 1);
  EXPECT_EQ(std::count(tokens.begin(), tokens.end(), 0), 2);
  EXPECT_EQ(message_of<ValueError>([&] { ChatTemplate::named("llama3").encode(tokenizer, messages); }),
            "ChatTemplate: the tokenizer has no token <|begin_of_text|>, which llama3 needs; is it the model's?");
}

}  // namespace
}  // namespace minima::data::chat_template_test
