#include <minima/train/logs/event_writer.h>

#include <minima/io/files/crc32c.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/text/json.h>
#include <minima/tensor/tensor.h>
#include <minima/train/logs/event_reader.h>
#include <minima/train/logs/message.h>
#include <minima/train/logs/summaries.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

// The format: TFRecord frames (length, its checksum, data, its checksum) around Event messages in the protocol buffer
// wire format (tensorflow/core/util/event.proto, framework/summary.proto).

namespace minima {

namespace {

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

/// Creates the folder and returns the path of a new file in it.
std::string new_path(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) detail::throw_file_error(folder, "cannot create the folder", error.value());
  return folder + "/" + file_name();
}

}  // namespace

EventWriter::EventWriter(const std::string& folder) : file_(new_path(folder), O_EXCL) {
  write_record(detail::Message().number(1, seconds_now()).bytes(3, "brain.Event:2").text());
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
  write_summary(detail::scalar_summary(tag, value), step);
}

void EventWriter::histogram(const std::string& tag, const Tensor& values, std::int64_t step, int buckets) {
  write_summary(detail::histogram_summary(tag, values, buckets), step);
}

void EventWriter::image(const std::string& tag, const Tensor& images, std::int64_t step) {
  write_summary(detail::image_summary(tag, images), step);
}

void EventWriter::text(const std::string& tag, const std::string& text, std::int64_t step) {
  write_summary(detail::text_summary(tag, text), step);
}

void EventWriter::hyper_parameters(const std::vector<Json::Member>& values, const std::vector<std::string>& metrics) {
  const double now = seconds_now();
  const std::string start = detail::session_start_summary(values, now);  // checks the values
  write_summary(detail::experiment_summary(values, metrics, now), 0);
  write_summary(start, 0);
}

void EventWriter::end_session(bool success) { write_summary(detail::session_end_summary(success, seconds_now()), 0); }

void EventWriter::write_summary(const std::string& value, std::int64_t step) {
  const std::string summary = detail::Message().bytes(1, value).text();
  write_record(
      detail::Message().number(1, seconds_now()).varint(2, static_cast<std::uint64_t>(step)).bytes(5, summary).text());
}

void EventWriter::write_record(std::string_view event) {
  std::string record;
  detail::append_bytes(record, static_cast<std::uint64_t>(event.size()));
  detail::append_bytes(record, detail::masked_crc32c(record));
  record.append(event);
  detail::append_bytes(record, detail::masked_crc32c(event));
  file_.append(record);
}

}  // namespace minima
