#include <minima/train/logs/summaries.h>

#include <minima/io/plots/png_writer.h>
#include <minima/io/plots/tensor_image.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>
#include <minima/train/logs/message.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minima::detail {

namespace {

constexpr int float_type = 1, string_type = 7;  // DataType of types.proto

/// SummaryMetadata that names the plugin for a value, with the plugin's own data.
std::string metadata_for(const char* plugin, std::string_view content = {}) {
  Message data;
  data.bytes(1, plugin);
  if (!content.empty()) data.bytes(2, content);
  return Message().bytes(1, data.text()).text();
}

/// HistogramProto.
Message histogram_of(std::vector<double> values, int buckets) {
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double first = values.empty() ? 0 : *low, last = values.empty() ? 0 : *high;
  const double width = last > first ? (last - first) / buckets : 1;
  std::vector<double> limits, counts(static_cast<std::size_t>(buckets));
  double sum = 0, squares = 0;
  for (int b = 1; b <= buckets; ++b) limits.push_back(first + width * b);
  for (const double x : values) {
    const auto b = static_cast<std::size_t>((x - first) / width);
    ++counts[std::min(b, counts.size() - 1)];
    sum += x;
    squares += x * x;
  }
  Message message;
  message.number(1, first).number(2, last).number(3, static_cast<double>(values.size()));
  message.number(4, sum).number(5, squares).numbers(6, limits).numbers(7, counts);
  return message;
}

bool is_numeric(Json::Kind kind) {
  return kind == Json::Kind::integer || kind == Json::Kind::unsigned_integer || kind == Json::Kind::number;
}

/// google.protobuf.Value.
std::string value_of(const std::string& name, const Json& value) {
  if (is_numeric(value.kind())) return Message().number(2, value.number()).text();
  if (value.kind() == Json::Kind::string) return Message().bytes(3, value.string()).text();
  if (value.kind() == Json::Kind::boolean) return Message().varint(4, value.boolean() ? 1 : 0).text();
  throw ValueError(
      str("EventWriter: hyper-parameter ", name, " must be a number, a text or a boolean; got ", value.text()));
}

/// hparams.DataType.
std::uint64_t type_of(const Json& value) {
  if (value.kind() == Json::Kind::string) return 1;
  return value.kind() == Json::Kind::boolean ? 2 : 3;
}

/// A Summary.Value with an HParamsPluginData whose field `field` is `data`. Newer TensorBoards look only at values with
/// a tensor, hence the empty one.
std::string hparams_summary(const char* tag, int field, const Message& data) {
  const std::string tensor = Message().varint(1, float_type).bytes(2, Message().bytes(2, "").text()).text();
  return Message()
      .bytes(1, tag)
      .bytes(8, tensor)
      .bytes(9, metadata_for("hparams", Message().bytes(field, data.text()).text()))
      .text();
}

}  // namespace

std::string scalar_summary(const std::string& tag, double value) {
  return Message().bytes(1, tag).single(2, static_cast<float>(value)).text();
}

std::string histogram_summary(const std::string& tag, const Tensor& values, int buckets) {
  if (buckets <= 0) throw ValueError("EventWriter: a histogram needs at least one bucket");
  return Message().bytes(1, tag).bytes(5, histogram_of(values.to_vector<double>(), buckets).text()).text();
}

std::string image_summary(const std::string& tag, const Tensor& images) {
  const Tensor pixels = image_pixels(images);
  const std::vector<std::uint8_t> bytes = pixels.to_vector<std::uint8_t>();
  const auto size = [&](int dim) { return static_cast<int>(pixels.size(dim)); };
  Message image;
  image.varint(1, static_cast<std::uint64_t>(size(0))).varint(2, static_cast<std::uint64_t>(size(1)));
  image.varint(3, static_cast<std::uint64_t>(size(2)));  // the colour space: 3 is RGB, 4 RGBA
  image.bytes(4, encode_png(bytes.data(), size(0), size(1), size(2)));
  return Message().bytes(1, tag).bytes(4, image.text()).text();
}

std::string text_summary(const std::string& tag, const std::string& text) {
  const std::string tensor = Message()
                                 .varint(1, string_type)
                                 .bytes(2, Message().bytes(2, Message().varint(1, 1).text()).text())
                                 .bytes(8, text)
                                 .text();
  return Message().bytes(1, tag).bytes(8, tensor).bytes(9, metadata_for("text")).text();
}

std::string experiment_summary(const std::vector<Json::Member>& values, const std::vector<std::string>& metrics,
                               double seconds) {
  Message experiment;
  experiment.number(3, seconds);
  for (const auto& [name, value] : values)
    experiment.bytes(4, Message().bytes(1, name).varint(4, type_of(value)).text());
  for (const std::string& metric : metrics)
    experiment.bytes(5, Message().bytes(1, Message().bytes(2, metric).text()).text());
  return hparams_summary("_hparams_/experiment", 2, experiment);
}

std::string session_start_summary(const std::vector<Json::Member>& values, double seconds) {
  Message start;
  for (const auto& [name, value] : values)
    start.bytes(1, Message().bytes(1, name).bytes(2, value_of(name, value)).text());
  start.number(5, seconds);
  return hparams_summary("_hparams_/session_start_info", 3, start);
}

std::string session_end_summary(bool success, double seconds) {
  constexpr std::uint64_t succeeded = 1, failed = 2;  // hparams.Status
  return hparams_summary("_hparams_/session_end_info", 4,
                         Message().varint(1, success ? succeeded : failed).number(2, seconds));
}

}  // namespace minima::detail
