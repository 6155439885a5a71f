#include <minima/train/logs/event_reader.h>

#include <minima/io/files/crc32c.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>

#include <cstdint>
#include <cstring>
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
  Fields message() const { return Fields(bytes_, source_, at_); }
  /// Appends doubles, packed or single.
  void append_to(std::vector<double>& values) const {
    if (bytes_.size() % sizeof(double) != 0) fail();
    for (std::size_t i = 0; i < bytes_.size(); i += sizeof(double)) values.push_back(number_at<double>(bytes_, i));
  }

 private:
  [[noreturn]] void fail() const { detail::throw_format_error(source_, at_, "the record is not an event"); }
  std::uint64_t read_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 127u) << shift;
      if (byte < 128) return value;
    }
    fail();
  }
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

/// Reads a tensor with one string, the encoding of text summaries.
void read_text(Fields in, EventRecord& event) {
  while (in.next())
    if (in.is(8, Fields::length)) {
      event.kind = EventRecord::Kind::text;
      event.text = in.text();
    }
}

void read_image(Fields in, EventRecord& event) {
  while (in.next())
    if (in.is(4, Fields::length)) {
      event.kind = EventRecord::Kind::image;
      event.text = in.text();
    }
}

void read_value(Fields in, EventRecord& event) {
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
    if (in.is(8, Fields::length)) read_text(in.message(), event);
  }
}

/// Reads a record: a time, a step and any number of values.
void read_record(Fields in, std::vector<EventRecord>& events) {
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
        if (summary.is(1, Fields::length)) read_value(summary.message(), events.emplace_back());
  }
  for (std::size_t i = first; i < events.size(); ++i) {
    events[i].seconds = common.seconds;
    events[i].step = common.step;
  }
}

}  // namespace

EventFile read_events(const std::string& path) {
  constexpr std::size_t kHead = 12, kTail = 4;
  const MappedFile mapped(path);
  const std::string_view file(reinterpret_cast<const char*>(mapped.data()), mapped.size());
  // After a power loss the file may end in zeros instead of a record; they start at `zeros`.
  const std::size_t zeros = file.find_last_not_of('\0') + 1;
  const auto ends_in_zeros = [&](std::size_t sum_at) { return file.size() - zeros >= kTail && zeros < sum_at + kTail; };
  EventFile result;
  for (std::size_t at = 0; at < file.size(); at = result.bytes) {
    result.torn = true;
    if (file.size() - at < kHead) break;
    const auto length = number_at<std::uint64_t>(file, at);
    const bool head_is_right = number_at<std::uint32_t>(file, at + 8) == detail::masked_crc32c(file.substr(at, 8));
    if (!head_is_right && ends_in_zeros(at + 8)) break;
    if (!head_is_right) detail::throw_format_error(path, at, "the checksum of a record's length is wrong");
    const std::size_t left = file.size() - at - kHead;
    if (left < kTail || length > left - kTail) break;
    const std::string_view event = file.substr(at + kHead, static_cast<std::size_t>(length));
    const std::size_t tail = at + kHead + event.size();
    const bool is_right = number_at<std::uint32_t>(file, tail) == detail::masked_crc32c(event);
    if (!is_right && ends_in_zeros(tail)) break;
    if (!is_right) detail::throw_format_error(path, at, "the checksum of a record is wrong");
    read_record(Fields(event, path, at), result.events);
    result.bytes = tail + kTail;
    result.torn = false;
  }
  return result;
}

}  // namespace minima
