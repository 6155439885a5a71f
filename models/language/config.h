#pragma once

#include <minima/io/text/json.h>
#include <minima/tensor/base/api.h>

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace minima::models {

struct BERTOptions;
struct GPT2Options;
struct LlamaOptions;

namespace detail {

/// Reads the options of a published model out of its config.json, and knows which it has been asked for: any other one
/// is an error, since a model that ignores an option computes something else. Errors are ValueError: `FILE: "option"
/// …`. Internal to models.
class MINIMA_API ConfigReader {
 public:
  /// Throws FormatError for a text that is not JSON, and ValueError if it is no object.
  explicit ConfigReader(const std::string& path);
  /// The same for a part of it.
  ConfigReader(Json config, std::string source);

  /// The value; null where it is missing or JSON's null.
  const Json* find(std::string_view option);
  /// Whether it is there, be it null.
  bool has(std::string_view option) const { return config_.find(option) != nullptr; }
  std::int64_t integer(std::string_view option);
  std::int64_t integer(std::string_view option, std::int64_t otherwise);
  double number(std::string_view option, double otherwise);
  bool flag(std::string_view option, bool otherwise);
  std::string text(std::string_view option, const std::string& otherwise);
  /// Throws unless the option is missing, null or one of these, which are all that `model` computes.
  void expect(std::string_view option, std::initializer_list<Json> values);
  /// Says that the options change nothing that is computed.
  void ignore(std::initializer_list<std::string_view> options);
  /// Throws if there are others, but for nulls and those that every model has, such as token ids.
  void finish();

  const std::string& source() const { return source_; }
  [[noreturn]] void refuse(std::string_view option, const std::string& why) const;

 private:
  Json config_;
  std::string source_;
  std::set<std::string, std::less<>> asked_;
};

MINIMA_API GPT2Options gpt2_options(ConfigReader& config);
MINIMA_API LlamaOptions llama_options(ConfigReader& config);
MINIMA_API BERTOptions bert_options(ConfigReader& config);

}  // namespace detail

}  // namespace minima::models
