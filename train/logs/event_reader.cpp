#include <minima/train/logs/event_reader.h>

#include <minima/io/files/crc32c.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/half.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The formats are those of event_writer.cpp.

namespace minima {

namespace {

template <class T>
T number_at(std::string_view text, std::size_t at) {
  T value;
  std::memcpy(&value, text.data() + at, sizeof value);
  return value;
}

/// Iterates over the fields of a message in the protocol buffer wire format.
class Fields {
 public:
  enum Type { varint = 0, fixed64 = 1, length = 2, fixed32 = 5 };

  /// `at` and `source` appear in error messages.
  Fields(std::string_view text, const std::string& source, std::uint64_t at) : text_(text), source_(source), at_(at) {}

  bool next() {
    if (text_.empty()) return false;
    const std::uint64_t tag = read_varint();
    field_ = tag >> 3;
    type_ = static_cast<int>(tag & 7u);
    switch (type_) {
      case varint: number_ = read_varint(); break;
      case fixed64: bytes_ = take(8); break;
      case length: bytes_ = take(read_varint()); break;
      case fixed32: bytes_ = take(4); break;
      default: fail();
    }
    return true;
  }
  /// Whether the current field has this number and type.
  bool is(std::uint64_t field, Type type) const { return field_ == field && type_ == type; }
  std::uint64_t number() const { return number_; }
  double real() const {
    return type_ == fixed64 ? number_at<double>(bytes_, 0) : static_cast<double>(number_at<float>(bytes_, 0));
  }
  std::string text() const { return std::string(bytes_); }
  std::string_view bytes() const { return bytes_; }
  Fields message() const { return Fields(bytes_, source_, at_); }
  /// Appends doubles, packed or single.
  void append_to(std::vector<double>& values) const {
    if (bytes_.size() % sizeof(double) != 0) fail();
    for (std::size_t i = 0; i < bytes_.size(); i += sizeof(double)) values.push_back(number_at<double>(bytes_, i));
  }

  /// Takes a number from the front, as of a packed field.
  std::uint64_t read_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 127u) << shift;
      if (byte < 128) return value;
    }
    fail();
  }

 private:
  [[noreturn]] void fail() const { detail::throw_format_error(source_, at_, "the record is not an event"); }
  std::string_view take(std::uint64_t bytes) {
    if (bytes > text_.size()) fail();
    const std::string_view taken = text_.substr(0, static_cast<std::size_t>(bytes));
    text_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view text_;
  const std::string& source_;
  std::uint64_t at_;
  std::uint64_t field_ = 0, number_ = 0;
  int type_ = 0;
  std::string_view bytes_;
};

EventRecord::Histogram read_histogram(Fields in) {
  EventRecord::Histogram histogram;
  double* const numbers[] = {&histogram.low, &histogram.high, &histogram.count, &histogram.sum, &histogram.squares};
  while (in.next()) {
    for (std::uint64_t field = 1; field <= 5; ++field)
      if (in.is(field, Fields::fixed64)) *numbers[field - 1] = in.real();
    for (const auto type : {Fields::length, Fields::fixed64}) {
      if (in.is(6, type)) in.append_to(histogram.limits);
      if (in.is(7, type)) in.append_to(histogram.counts);
    }
  }
  return histogram;
}

/// The fields that are needed of a tensor, in which TensorFlow 2 and the programs that follow it store everything.
struct TensorValue {
  std::uint64_t dtype = 0;  ///< TensorFlow's number
  bool has_one = true;      ///< a single element
  std::string number;       ///< the first element's bytes, empty without any
  std::vector<std::string> texts;
};

/// Whether all sizes of a shape are 1.
bool is_single(Fields shape) {
  bool single = true;
  while (shape.next())
    if (shape.is(2, Fields::length)) {
      std::uint64_t size = 0;
      for (Fields dimension = shape.message(); dimension.next();)
        if (dimension.is(1, Fields::varint)) size = dimension.number();
      single &= size == 1;
    }
  return single;
}

TensorValue read_tensor(Fields in, const std::string& source, std::uint64_t at) {
  TensorValue tensor;
  while (in.next()) {
    if (in.is(1, Fields::varint)) tensor.dtype = in.number();
    if (in.is(2, Fields::length)) tensor.has_one = is_single(in.message());
    if (in.is(8, Fields::length)) tensor.texts.push_back(in.text());
    for (const std::uint64_t whole : {7u, 10u, 11u, 13u, 16u, 17u}) {  // int, int64, bool, half, uint32, uint64
      std::uint64_t number = 0;
      if (in.is(whole, Fields::varint)) number = in.number();
      else if (in.is(whole, Fields::length) && !in.bytes().empty())
        number = Fields(in.bytes(), source, at).read_varint();
      else continue;
      tensor.number.assign(reinterpret_cast<const char*>(&number), sizeof number);
    }
    const bool is_float = in.is(5, Fields::fixed32) || in.is(5, Fields::length);
    const bool is_double = in.is(6, Fields::fixed64) || in.is(6, Fields::length);
    if (is_float || is_double || in.is(4, Fields::length)) tensor.number = in.bytes().substr(0, 8);
  }
  return tensor;
}

/// The first element of a tensor; false for dtypes that are not real numbers.
bool number_in(const TensorValue& tensor, double& value) {
  const auto read = [&]<class T>(T) {
    if (tensor.number.size() < sizeof(T)) return false;
    value = static_cast<double>(number_at<T>(tensor.number, 0));
    return true;
  };
  switch (tensor.dtype) {
    case 1: return read(float{});
    case 2: return read(double{});
    case 3: return read(std::int32_t{});
    case 4: return read(std::uint8_t{});
    case 5: return read(std::int16_t{});
    case 6: return read(std::int8_t{});
    case 9: return read(std::int64_t{});
    case 10: return read(std::uint8_t{});  // bool
    case 14: return read(BFloat16{});
    case 17: return read(std::uint16_t{});
    case 19: return read(Float16{});
    case 22: return read(std::uint32_t{});
    case 23: return read(std::uint64_t{});
    default: return false;
  }
}

/// The plug-in that a value's metadata name.
std::string plugin_in(Fields metadata) {
  std::string plugin;
  while (metadata.next())
    if (metadata.is(1, Fields::length))
      for (Fields data = metadata.message(); data.next();)
        if (data.is(1, Fields::length)) plugin = data.text();
  return plugin;
}

/// Texts are tensors of strings, images those of width, height and files, and scalars have one number.
void read_tensor_value(const TensorValue& tensor, const std::string& plugin, EventRecord& event) {
  if (plugin == "images" && tensor.texts.size() > 2) {
    event.kind = EventRecord::Kind::image;
    event.text = tensor.texts[2];
  } else if ((plugin.empty() || plugin == "text") && !tensor.texts.empty()) {
    event.kind = EventRecord::Kind::text;
    event.text = tensor.texts.back();
  } else if ((plugin.empty() || plugin == "scalars") && tensor.has_one && number_in(tensor, event.value)) {
    event.kind = EventRecord::Kind::scalar;
  }
}

void read_image(Fields in, EventRecord& event) {
  while (in.next())
    if (in.is(4, Fields::length)) {
      event.kind = EventRecord::Kind::image;
      event.text = in.text();
    }
}

/// `plugins` has those of the tags so far, since some writers give metadata for the first value only.
void read_value(Fields in, const std::string& source, std::uint64_t at, std::map<std::string, std::string>& plugins,
                EventRecord& event) {
  std::optional<TensorValue> tensor;
  std::string plugin;
  while (in.next()) {
    if (in.is(1, Fields::length)) event.tag = in.text();
    if (in.is(2, Fields::fixed32)) {
      event.kind = EventRecord::Kind::scalar;
      event.value = in.real();
    }
    if (in.is(4, Fields::length)) read_image(in.message(), event);
    if (in.is(5, Fields::length)) {
      event.kind = EventRecord::Kind::histogram;
      event.histogram = read_histogram(in.message());
    }
    if (in.is(8, Fields::length)) tensor = read_tensor(in.message(), source, at);
    if (in.is(9, Fields::length)) plugin = plugin_in(in.message());
  }
  if (!plugin.empty()) plugins[event.tag] = plugin;
  if (!tensor) return;
  const auto known = plugins.find(event.tag);
  read_tensor_value(*tensor, known == plugins.end() ? "" : known->second, event);
}

/// Reads a record: a time, a step and any number of values.
void read_record(Fields in, const std::string& source, std::uint64_t at, std::map<std::string, std::string>& plugins,
                 std::vector<EventRecord>& events) {
  EventRecord common;
  const std::size_t first = events.size();
  while (in.next()) {
    if (in.is(1, Fields::fixed64)) common.seconds = in.real();
    if (in.is(2, Fields::varint)) common.step = static_cast<std::int64_t>(in.number());
    if (in.is(3, Fields::length)) {
      events.emplace_back().kind = EventRecord::Kind::version;
      events.back().text = in.text();
    }
    if (in.is(5, Fields::length))
      for (Fields summary = in.message(); summary.next();)
        if (summary.is(1, Fields::length)) read_value(summary.message(), source, at, plugins, events.emplace_back());
  }
  for (std::size_t i = first; i < events.size(); ++i) {
    events[i].seconds = common.seconds;
    events[i].step = common.step;
  }
}

}  // namespace

EventFile read_events(const std::string& path) {
  constexpr std::size_t head_size = 12, tail_size = 4;
  const MappedFile mapped(path);
  const std::string_view file = mapped.text();
  // After a power loss the file may end in zeros instead of a record; they start at `zeros`.
  const std::size_t zeros = file.find_last_not_of('\0') + 1;
  const auto ends_in_zeros = [&](std::size_t sum_at) {
    return file.size() - zeros >= tail_size && zeros < sum_at + tail_size;
  };
  EventFile result;
  std::map<std::string, std::string> plugins;
  for (std::size_t at = 0; at < file.size(); at = result.bytes) {
    result.torn = true;
    if (file.size() - at < head_size) break;
    const auto length = number_at<std::uint64_t>(file, at);
    const bool head_is_right = number_at<std::uint32_t>(file, at + 8) == detail::masked_crc32c(file.substr(at, 8));
    if (!head_is_right && ends_in_zeros(at + 8)) break;
    if (!head_is_right) detail::throw_format_error(path, at, "the checksum of a record's length is wrong");
    const std::size_t left = file.size() - at - head_size;
    if (left < tail_size || length > left - tail_size) break;
    const std::string_view event = file.substr(at + head_size, static_cast<std::size_t>(length));
    const std::size_t tail = at + head_size + event.size();
    const bool is_right = number_at<std::uint32_t>(file, tail) == detail::masked_crc32c(event);
    if (!is_right && ends_in_zeros(tail)) break;
    if (!is_right) detail::throw_format_error(path, at, "the checksum of a record is wrong");
    read_record(Fields(event, path, at), path, at, plugins, result.events);
    result.bytes = tail + tail_size;
    result.torn = false;
  }
  return result;
}

}  // namespace minima
