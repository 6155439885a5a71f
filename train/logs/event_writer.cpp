#include <minima/train/logs/event_writer.h>

#include <minima/io/files/crc32c.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/posix_file.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>
#include <minima/train/logs/event_reader.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

// The format: TFRecord frames (length, its checksum, data, its checksum) around Event messages in the protocol buffer
// wire format (tensorflow/core/util/event.proto, framework/summary.proto).

namespace minima {

namespace {

template <class T>
void append_bytes(std::string& out, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

/// Builds one message in the wire format.
class Message {
 public:
  Message& varint(int field, std::uint64_t value) {
    tag(field, 0);
    append_varint(value);
    return *this;
  }
  Message& number(int field, double value) {
    tag(field, 1);
    append_bytes(text_, value);
    return *this;
  }
  Message& single(int field, float value) {
    tag(field, 5);
    append_bytes(text_, value);
    return *this;
  }
  Message& bytes(int field, std::string_view value) {
    tag(field, 2);
    append_varint(value.size());
    text_.append(value);
    return *this;
  }
  Message& numbers(int field, const std::vector<double>& values) {
    std::string packed;
    for (const double value : values) append_bytes(packed, value);
    return bytes(field, packed);
  }
  const std::string& text() const { return text_; }

 private:
  void tag(int field, int type) { append_varint(static_cast<std::uint64_t>(field << 3 | type)); }
  void append_varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) text_ += static_cast<char>(value | 128u);
    text_ += static_cast<char>(value);
  }
  std::string text_;
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// A file name that TensorBoard recognises, unique to this writer.
std::string file_name() {
  static std::atomic<int> counter{0};
  char host[256] = "host";
  gethostname(host, sizeof host - 1);
  std::string name = "events.out.tfevents.";
  name += std::to_string(static_cast<std::int64_t>(seconds_now()));
  name.append(".").append(host).append(".").append(std::to_string(getpid())).append(".");
  return name + std::to_string(counter++);
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

/// Creates the folder and returns the path of a new file in it.
std::string new_path(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) detail::throw_file_error(folder, "cannot create the folder", error.value());
  return folder + "/" + file_name();
}

}  // namespace

EventWriter::EventWriter(const std::string& folder) : file_(new_path(folder), O_EXCL) {
  write_record(Message().number(1, seconds_now()).bytes(3, "brain.Event:2").text());
}

EventWriter EventWriter::resume(const std::string& path) {
  const EventFile written = read_events(path);
  if (written.events.empty())
    detail::throw_format_error(path, 0, "cannot resume: not an event file, it has no complete record");
  EventWriter writer{detail::AppendFile(path)};
  writer.file_.shorten(written.bytes);
  return writer;
}

void EventWriter::scalar(const std::string& tag, double value, std::int64_t step) {
  write_summary(Message().bytes(1, tag).single(2, static_cast<float>(value)).text(), step);
}

void EventWriter::histogram(const std::string& tag, const Tensor& values, std::int64_t step, int buckets) {
  if (buckets <= 0) throw ValueError("EventWriter: a histogram needs at least one bucket");
  write_summary(Message().bytes(1, tag).bytes(5, histogram_of(values.to_vector<double>(), buckets).text()).text(),
                step);
}

void EventWriter::text(const std::string& tag, const std::string& text, std::int64_t step) {
  constexpr int string_type = 7;  // DT_STRING
  const std::string tensor = Message()
                                 .varint(1, string_type)
                                 .bytes(2, Message().bytes(2, Message().varint(1, 1).text()).text())
                                 .bytes(8, text)
                                 .text();
  const std::string metadata = Message().bytes(1, Message().bytes(1, "text").text()).text();
  write_summary(Message().bytes(1, tag).bytes(8, tensor).bytes(9, metadata).text(), step);
}

void EventWriter::write_summary(const std::string& value, std::int64_t step) {
  const std::string summary = Message().bytes(1, value).text();
  write_record(Message().number(1, seconds_now()).varint(2, static_cast<std::uint64_t>(step)).bytes(5, summary).text());
}

void EventWriter::write_record(std::string_view event) {
  std::string record;
  append_bytes(record, static_cast<std::uint64_t>(event.size()));
  append_bytes(record, detail::masked_crc32c(record));
  record.append(event);
  append_bytes(record, detail::masked_crc32c(event));
  file_.append(record);
}

}  // namespace minima
