#include <minima/models/language/config.h>

#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace minima::models::detail {

namespace {

using Kind = Json::Kind;

Json read_config(const std::string& path) {
  const MappedFile file(path);
  return Json::parse(file.text(), path, JsonDialect::python);
}

/// Whether transformers writes the option into any config.json and no decoder or encoder computes with it: names,
/// versions, token ids, settings of generation and of the losses of its own heads.
bool is_bookkeeping(std::string_view option) {
  constexpr std::string_view known[] = {"_name_or_path",
                                        "architectures",
                                        "model_type",
                                        "transformers_version",
                                        "torch_dtype",
                                        "dtype",
                                        "use_cache",
                                        "initializer_range",
                                        "bos_token_id",
                                        "eos_token_id",
                                        "pad_token_id",
                                        "unk_token_id",
                                        "sep_token_id",
                                        "cls_token_id",
                                        "mask_token_id",
                                        "decoder_start_token_id",
                                        "id2label",
                                        "label2id",
                                        "num_labels",
                                        "problem_type",
                                        "finetuning_task",
                                        "task_specific_params",
                                        "tokenizer_class",
                                        "output_attentions",
                                        "return_dict",
                                        "output_hidden_states",
                                        "auto_map",
                                        "classifier_dropout",
                                        "gradient_checkpointing",
                                        "chunk_size_feed_forward",
                                        "_attn_implementation",
                                        "attn_implementation",
                                        "_commit_hash",
                                        "is_encoder_decoder",
                                        "torchscript",
                                        "prefix",
                                        "directionality"};
  return std::find(std::begin(known), std::end(known), option) != std::end(known);
}

std::string shown(const Json& value) {
  const std::string text = value.with_valid_utf8().text();
  return minima::detail::printable(text.size() > 60 ? text.substr(0, 60) + "…" : text);
}

}  // namespace

ConfigReader::ConfigReader(const std::string& path) : ConfigReader(read_config(path), path) {}

ConfigReader::ConfigReader(Json config, std::string source) : config_(std::move(config)), source_(std::move(source)) {
  if (config_.kind() != Kind::object)
    throw ValueError(str(source_, ": a config is a JSON object, not ", shown(config_)));
}

void ConfigReader::refuse(std::string_view option, const std::string& why) const {
  const Json* value = config_.find(option);
  throw ValueError(str(source_, ": \"", minima::detail::printable(option), "\"",
                       value ? " is " + shown(*value) + ", " : std::string(" "), why));
}

const Json* ConfigReader::find(std::string_view option) {
  asked_.emplace(option);
  const Json* value = config_.find(option);
  return value && !value->is_null() ? value : nullptr;
}

std::int64_t ConfigReader::integer(std::string_view option) {
  if (!find(option)) refuse(option, "is missing; a model of this class needs it");
  return integer(option, 0);
}

std::int64_t ConfigReader::integer(std::string_view option, std::int64_t otherwise) {
  const Json* value = find(option);
  if (!value) return otherwise;
  constexpr std::int64_t most = INT32_MAX;  // so that products of two cannot overflow
  if (value->kind() != Kind::integer || value->integer() < 0 || value->integer() > most)
    refuse(option, str("but must be a whole number from 0 to ", most));
  return value->integer();
}

double ConfigReader::number(std::string_view option, double otherwise) {
  const Json* value = find(option);
  if (!value) return otherwise;
  if (value->kind() != Kind::integer && value->kind() != Kind::number) refuse(option, "which is no number");
  return value->number();
}

bool ConfigReader::flag(std::string_view option, bool otherwise) {
  const Json* value = find(option);
  if (!value) return otherwise;
  if (value->kind() != Kind::boolean) refuse(option, "which is neither true nor false");
  return value->boolean();
}

std::string ConfigReader::text(std::string_view option, const std::string& otherwise) {
  const Json* value = find(option);
  if (!value) return otherwise;
  if (value->kind() != Kind::string) refuse(option, "which is no text");
  return value->string();
}

void ConfigReader::expect(std::string_view option, std::initializer_list<Json> values) {
  const Json* value = find(option);
  if (!value || std::find(values.begin(), values.end(), *value) != values.end()) return;
  if (value->kind() == Kind::number || value->kind() == Kind::integer)  // 0 is 0.0
    for (const Json& other : values)
      if ((other.kind() == Kind::number || other.kind() == Kind::integer) && other.number() == value->number()) return;
  std::string known;
  for (const Json& other : values) known += (known.empty() ? "" : " or ") + other.text();
  refuse(option, "but minima computes " + known + " only");
}

void ConfigReader::ignore(std::initializer_list<std::string_view> options) {
  for (const std::string_view option : options) asked_.emplace(option);
}

void ConfigReader::finish() {
  for (const auto& [option, value] : config_.members())
    if (!asked_.contains(option) && !is_bookkeeping(option) && !value.is_null())
      refuse(option, "an option that minima does not know; the model would not be the published one");
}

}  // namespace minima::models::detail
