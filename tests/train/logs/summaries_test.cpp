#include "tests/support/expect_error.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>
#include <minima/train/logs/event_reader.h>
#include <minima/train/logs/event_writer.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace minima::summaries_test {
namespace {

using test::content_of;
using test::message_of;
using test::TemporaryFolder;

/// A field of a message in the protocol buffer wire format.
struct Field {
  std::uint64_t number = 0;
  std::uint64_t varint = 0;  ///< or the bits of a fixed-size number
  std::string bytes;
};

std::uint64_t read_varint(std::string_view& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(in.at(0));
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 127u) << shift;
    if (byte < 128) return value;
  }
}

std::vector<Field> fields_of(std::string_view in) {
  std::vector<Field> fields;
  while (!in.empty()) {
    const std::uint64_t tag = read_varint(in);
    Field& field = fields.emplace_back();
    field.number = tag >> 3;
    const std::uint64_t type = tag & 7u;
    if (type == 0) {
      field.varint = read_varint(in);
      continue;
    }
    const std::size_t size = type == 1 ? 8 : type == 5 ? 4 : read_varint(in);
    field.bytes = std::string(in.substr(0, size));
    in.remove_prefix(size);
    if (type != 2) std::memcpy(&field.varint, field.bytes.data(), size);
  }
  return fields;
}

/// All fields with this number.
std::vector<Field> all(std::string_view message, std::uint64_t number) {
  std::vector<Field> found;
  for (const Field& field : fields_of(message))
    if (field.number == number) found.push_back(field);
  return found;
}

/// The only field at the end of a path of field numbers.
Field at(std::string_view message, std::initializer_list<std::uint64_t> path) {
  Field here{.bytes = std::string(message)};
  for (const std::uint64_t number : path) {
    const std::vector<Field> found = all(here.bytes, number);
    EXPECT_EQ(found.size(), 1u) << "field " << number;
    if (found.size() != 1) return {};
    here = found[0];
  }
  return here;
}

double real(const Field& field) {
  double value = 0;
  std::memcpy(&value, &field.varint, sizeof value);
  return value;
}

/// The Summary.Value of each record after the first.
std::vector<std::string> values_in(const std::string& path) {
  const std::string file = content_of(path);
  std::vector<std::string> values;
  for (std::size_t at_byte = 0; at_byte < file.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data() + at_byte, sizeof length);
    if (at_byte > 0) values.push_back(at(file.substr(at_byte + 12, length), {5, 1}).bytes);
    at_byte += 16 + length;
  }
  return values;
}

/// The plugin's data of a summary in the HPARAMS tab.
std::string plugin_data(const std::string& value) {
  EXPECT_EQ(at(value, {9, 1, 1}).bytes, "hparams");
  EXPECT_EQ(at(value, {8, 1}).varint, 1u) << "a float tensor";
  return at(value, {9, 1, 2}).bytes;
}

Tensor ramp() {
  return reshape(tensor<float>({0, 0.5F, 1, 0.25F, 0, 1, 2, -1, 0.1F, 0.2F, 0.3F, 0.4F, 1, 1, 0, 0, 0.6F, 0.7F}),
                 {3, 2, 3});
}

TEST(EventSummaries, AnImageIsAPngWithItsSize) {
  const TemporaryFolder folder;
  EventWriter events(folder.path());
  events.image("sample", ramp(), 3);
  events.image("grey", zeros({4, 5}, {.dtype = uint8}), 3);
  events.image("grid", zeros({4, 1, 8, 8}), 3);
  const std::vector<std::string> values = values_in(events.path());
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(at(values[0], {1}).bytes, "sample");
  EXPECT_EQ(at(values[0], {4, 1}).varint, 2u) << "height";
  EXPECT_EQ(at(values[0], {4, 2}).varint, 3u) << "width";
  EXPECT_EQ(at(values[0], {4, 3}).varint, 3u) << "RGB";
  const std::string png = at(values[0], {4, 4}).bytes;
  EXPECT_EQ(png.substr(0, 4), "\x89PNG");
  EXPECT_EQ(at(values[1], {4, 1}).varint, 4u);
  EXPECT_EQ(at(values[1], {4, 2}).varint, 5u);
  EXPECT_EQ(at(values[2], {4, 2}).varint, 4u * 8 + 5 * 2) << "four images and the gaps around them";
  const EventFile read = read_events(events.path());
  EXPECT_EQ(read.events[1].kind, EventRecord::Kind::image);
  EXPECT_EQ(read.events[1].step, 3);
  EXPECT_EQ(read.events[1].text, png);
}

TEST(EventSummaries, AnImageNeedsChannelsThatPngHas) {
  const TemporaryFolder folder;
  EventWriter events(folder.path());
  EXPECT_CONTAINS(message_of<ShapeError>([&] { events.image("two", zeros({2, 4, 4}), 0); }), "1, 3 or 4 channels");
  EXPECT_CONTAINS(message_of<ShapeError>([&] { events.image("line", zeros({4}), 0); }), "[C, H, W]");
  EXPECT_EQ(read_events(events.path()).events.size(), 1u);
}

TEST(EventSummaries, HyperParametersAreAnExperimentAndASession) {
  const TemporaryFolder folder;
  EventWriter events(folder.path());
  events.hyper_parameters({{"lr", 0.25}, {"optimizer", "adam"}, {"nesterov", true}, {"batch", 64}},
                          {"test/accuracy", "test/loss"});
  events.end_session();
  events.end_session(false);
  const std::vector<std::string> values = values_in(events.path());
  ASSERT_EQ(values.size(), 4u);

  EXPECT_EQ(at(values[0], {1}).bytes, "_hparams_/experiment");
  const std::string experiment = at(plugin_data(values[0]), {2}).bytes;
  const std::vector<Field> infos = all(experiment, 4), metrics = all(experiment, 5);
  ASSERT_EQ(infos.size(), 4u);
  const char* const names[] = {"lr", "optimizer", "nesterov", "batch"};
  const std::uint64_t types[] = {3, 1, 2, 3};  // FLOAT64, STRING, BOOL
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(at(infos[i].bytes, {1}).bytes, names[i]);
    EXPECT_EQ(at(infos[i].bytes, {4}).varint, types[i]);
  }
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(at(metrics[1].bytes, {1, 2}).bytes, "test/loss");

  EXPECT_EQ(at(values[1], {1}).bytes, "_hparams_/session_start_info");
  const std::string start = at(plugin_data(values[1]), {3}).bytes;
  const std::vector<Field> entries = all(start, 1);
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(at(entries[0].bytes, {1}).bytes, "lr");
  EXPECT_EQ(real(at(entries[0].bytes, {2, 2})), 0.25);
  EXPECT_EQ(at(entries[1].bytes, {2, 3}).bytes, "adam");
  EXPECT_EQ(at(entries[2].bytes, {2, 4}).varint, 1u);
  EXPECT_EQ(real(at(entries[3].bytes, {2, 2})), 64);
  EXPECT_GT(real(at(start, {5})), 1.7e9) << "seconds since 1970";

  EXPECT_EQ(at(values[2], {1}).bytes, "_hparams_/session_end_info");
  EXPECT_EQ(at(plugin_data(values[2]), {4, 1}).varint, 1u) << "success";
  EXPECT_EQ(at(plugin_data(values[3]), {4, 1}).varint, 2u) << "failure";
}

TEST(EventSummaries, AHyperParameterIsNumberTextOrBoolean) {
  const TemporaryFolder folder;
  EventWriter events(folder.path());
  EXPECT_CONTAINS(message_of<ValueError>([&] { events.hyper_parameters({{"lr", 1}, {"betas", Json::array({0.9})}}); }),
                  "hyper-parameter betas must be a number, a text or a boolean; got [0.9]");
  EXPECT_EQ(read_events(events.path()).events.size(), 1u) << "nothing is written";
}

// In CTest with the label `python`: TensorBoard itself shows what is written. MINIMA_TENSORBOARD_PYTHON is the Python
// that has it.
TEST(PythonTensorBoard, ReadsAllKindsOfSummaries) {
  const TemporaryFolder folder;
  for (const double rate : {0.1, 0.01}) {
    EventWriter events(folder / (rate == 0.1 ? "fast" : "slow"));
    events.hyper_parameters({{"lr", rate}, {"optimizer", "adam"}, {"nesterov", true}}, {"test/accuracy"});
    for (int step = 0; step < 3; ++step) events.scalar("train/loss", 1.0 / (step + 1), 10 * step);
    events.scalar("test/accuracy", 0.5 + rate, 30);
    events.histogram("weights", tensor<float>({0, 1, 2, 3}), 7, 3);
    events.image("sample", ramp(), 3);
    events.text("note", "a *text*", 8);
    events.end_session();
  }
  const char* const given = std::getenv("MINIMA_TENSORBOARD_PYTHON");
  const std::string python = given ? given : "python3", script = MINIMA_FIXTURES "/../train/logs/read_events.py";
  const test::Outcome outcome = test::run_program("'" + python + "' '" + script + "' '" + folder.path() + "' 2>&1");
  if (outcome.code == 77)
    GTEST_SKIP() << python << " has no TensorBoard: pip install tensorboard, or set MINIMA_TENSORBOARD_PYTHON";
  EXPECT_EQ(outcome.code, 0) << outcome.output;
}

}  // namespace
}  // namespace minima::summaries_test
