#include "tests/support/full_disk.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/files/crc32c.h>
#include <minima/tensor/base/error.h>
#include <minima/train/logs/event_reader.h>
#include <minima/train/logs/event_writer.h>
#include <minima/train/logs/message.h>

#include <cmath>

namespace minima::event_reader_test {
namespace {

using test::content_of;
using test::message_of;
using test::TemporaryFolder;

TEST(EventReader, ReadsBackWhatTheWriterWrote) {
  const TemporaryFolder folder;
  EventWriter events(folder.path());
  events.scalar("train/loss", 0.75, 300);
  events.scalar("negative", -1e30, -5);
  events.histogram("weights", tensor<float>({0, 1, 2, 3, NAN}), 7, 3);
  events.text("note", "a text\n", 8);
  const EventFile file = read_events(events.path());
  EXPECT_FALSE(file.torn);
  EXPECT_EQ(file.bytes, content_of(events.path()).size());
  ASSERT_EQ(file.events.size(), 5u);
  EXPECT_EQ(file.events[0].kind, EventRecord::Kind::version);
  EXPECT_EQ(file.events[0].text, "brain.Event:2");
  EXPECT_EQ(file.events[1].kind, EventRecord::Kind::scalar);
  EXPECT_EQ(file.events[1].tag, "train/loss");
  EXPECT_EQ(file.events[1].step, 300);
  EXPECT_EQ(file.events[1].value, 0.75);
  EXPECT_GT(file.events[1].seconds, 1.7e9);
  EXPECT_EQ(file.events[2].step, -5);
  EXPECT_EQ(file.events[2].value, static_cast<double>(-1e30f));
  const EventRecord& histogram = file.events[3];
  EXPECT_EQ(histogram.kind, EventRecord::Kind::histogram);
  EXPECT_EQ(histogram.step, 7);
  EXPECT_EQ(histogram.histogram.low, 0);
  EXPECT_EQ(histogram.histogram.high, 3);
  EXPECT_EQ(histogram.histogram.count, 4);
  EXPECT_EQ(histogram.histogram.sum, 6);
  EXPECT_EQ(histogram.histogram.squares, 14);
  EXPECT_EQ(histogram.histogram.limits, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(histogram.histogram.counts, (std::vector<double>{1, 1, 2}));
  EXPECT_EQ(file.events[4].kind, EventRecord::Kind::text);
  EXPECT_EQ(file.events[4].text, "a text\n");
}

std::string framed(const std::string& record) {
  std::string head, tail;
  minima::detail::append_bytes(head, static_cast<std::uint64_t>(record.size()));
  minima::detail::append_bytes(tail, minima::detail::masked_crc32c(record));
  std::string sum;
  minima::detail::append_bytes(sum, minima::detail::masked_crc32c(head));
  return head + sum + record + tail;
}

using minima::detail::Message;

/// A file with one value made of a tensor, and of a plug-in if it is named.
EventRecord read_tensor(const std::string& tensor, const std::string& plugin = "") {
  const TemporaryFolder folder;
  Message value;
  value.bytes(1, "loss").bytes(8, tensor);
  if (!plugin.empty()) value.bytes(9, Message().bytes(1, Message().bytes(1, plugin).text()).text());
  const std::string event =
      Message().number(1, 1.5e9).varint(2, 9).bytes(5, Message().bytes(1, value.text()).text()).text();
  const EventFile file = read_events(folder.file("events", framed(event)));
  EXPECT_EQ(file.events.size(), 1u);
  return file.events.at(0);
}

template <class T>
std::string bytes_of(T value) {
  std::string bytes;
  minima::detail::append_bytes(bytes, value);
  return bytes;
}

TEST(EventReader, ATensorOfOneNumberIsAScalar) {
  const std::string scalar_shape, one = Message().bytes(2, Message().varint(1, 1).text()).text();
  const std::string packed_half("\x80\x78", 2), packed_bfloat("\xc0\x7e", 2);  // 0x3c00 and 0x3f40 as varints
  const struct {
    std::string tensor;
    double value;
  } cases[] = {
      {Message().varint(1, 1).bytes(2, scalar_shape).bytes(5, bytes_of(0.75F)).text(), 0.75},
      {Message().varint(1, 1).bytes(2, scalar_shape).single(5, 0.75F).text(), 0.75},
      {Message().varint(1, 1).bytes(4, bytes_of(0.75F)).text(), 0.75},
      {Message().single(5, 0.75F).varint(1, 1).bytes(2, one).text(), 0.75},
      {Message().varint(1, 2).bytes(6, bytes_of(0.1)).text(), 0.1},
      {Message().varint(1, 2).number(6, 0.1).text(), 0.1},
      {Message().varint(1, 2).bytes(4, bytes_of(0.1)).text(), 0.1},
      {Message().varint(1, 19).bytes(13, packed_half).text(), 1},
      {Message().varint(1, 19).varint(13, 0x3c00).text(), 1},
      {Message().varint(1, 19).bytes(4, std::string("\0\x3c", 2)).text(), 1},
      {Message().varint(1, 14).bytes(13, packed_bfloat).text(), 0.75},
      {Message().varint(1, 3).varint(7, static_cast<std::uint64_t>(-5)).text(), -5},
      {Message().varint(1, 9).varint(10, 1u << 20).text(), 1 << 20},
      {Message().varint(1, 9).bytes(4, bytes_of(std::int64_t{-7})).text(), -7},
  };
  for (const auto& [tensor, value] : cases)
    for (const char* plugin : {"", "scalars"}) {
      const EventRecord event = read_tensor(tensor, plugin);
      EXPECT_EQ(event.kind, EventRecord::Kind::scalar) << value;
      EXPECT_EQ(event.value, value);
      EXPECT_EQ(event.step, 9);
      EXPECT_EQ(event.tag, "loss");
    }
}

// Writer("tb").add_scalar("loss", 0.75, step=9) of tensorboard.summary in tensorboard 2.21.0, which writes as
// TensorFlow 2.
TEST(EventReader, ReadsAScalarOfTensorBoardsOwnWriter) {
  const std::string hex =
      "4800000000000000fe92489d095c22dcf0abc2da411a0d627261696e2e4576656e743a32522e0a2c74656e736f72626f6172"
      "642e73756d6d6172792e7772697465722e6576656e745f66696c655f7772697465722bba5780300000000000000095f5d05f"
      "093229dcf0abc2da4110092a230a210a046c6f7373420a080112002a040000403f4a0d0a090a077363616c61727320010097"
      "5889";
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  const TemporaryFolder folder;
  const EventFile file = read_events(folder.file("events", bytes));
  ASSERT_EQ(file.events.size(), 2u);
  EXPECT_EQ(file.events[1].kind, EventRecord::Kind::scalar);
  EXPECT_EQ(file.events[1].tag, "loss");
  EXPECT_EQ(file.events[1].step, 9);
  EXPECT_EQ(file.events[1].value, 0.75);
}

TEST(EventReader, OtherTensorsAreNoScalars) {
  const std::string none = Message().bytes(2, Message().text()).text(),
                    two = Message().bytes(2, Message().varint(1, 2).text()).text();
  const std::string number = bytes_of(0.75F);
  using Kind = EventRecord::Kind;
  EXPECT_EQ(read_tensor(Message().varint(1, 1).bytes(2, none).text()).kind, Kind::other);
  EXPECT_EQ(read_tensor(Message().varint(1, 1).bytes(2, two).bytes(4, number + number).text()).kind, Kind::other);
  EXPECT_EQ(read_tensor(Message().varint(1, 1).bytes(5, number).text(), "pr_curves").kind, Kind::other);
  EXPECT_EQ(read_tensor(Message().varint(1, 8).bytes(9, number + number).text()).kind, Kind::other) << "complex64";
  const std::string texts = Message().varint(1, 7).bytes(8, "4").bytes(8, "3").bytes(8, "PNG").bytes(8, "more").text();
  EXPECT_EQ(read_tensor(texts, "text").kind, Kind::text);
  const EventRecord image = read_tensor(texts, "images");
  EXPECT_EQ(image.kind, Kind::image);
  EXPECT_EQ(image.text, "PNG");
}

TEST(EventReader, StopsAtATornRecord) {
  const TemporaryFolder folder;
  EventWriter events(folder.path());
  for (int step = 0; step < 3; ++step) events.scalar("loss", step, step);
  const std::string whole = content_of(events.path());
  const std::uint64_t before_last = [&] {
    EventWriter two(folder / "two");
    for (int step = 0; step < 2; ++step) two.scalar("loss", step, step);
    return content_of(two.path()).size();
  }();
  for (std::size_t size = before_last + 1; size < whole.size(); ++size) {
    const std::size_t lost = whole.size() - size;
    for (const std::string& tail : {std::string(), std::string(lost > 4 ? lost : 0, '\0')}) {
      const EventFile file = read_events(folder.file("torn", whole.substr(0, size) + tail));
      EXPECT_TRUE(file.torn) << size;
      EXPECT_EQ(file.bytes, before_last) << size;
      EXPECT_EQ(file.events.size(), 3u) << size;
    }
  }
  EXPECT_TRUE(read_events(folder.file("empty", "")).events.empty());
}

TEST(EventReader, DetectsEveryFlippedBit) {
  const TemporaryFolder folder;
  EventWriter events(folder.path());
  for (int step = 0; step < 2; ++step) events.scalar("loss", 0.5, step);
  const std::string good = content_of(events.path());
  int torn = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
    const std::string path = folder.file("bad", bad);
    try {
      torn += read_events(path).torn;
      EXPECT_TRUE(read_events(path).torn) << "bit " << bit;
    } catch (const FormatError& error) {
      EXPECT_EQ(std::string(error.what()).find(path + ": byte "), 0u) << error.what();
    }
  }
  EXPECT_EQ(torn, 0);
}

TEST(EventWriter, ARecordThatDoesNotFitOnTheDiskIsRolledBack) {
  const TemporaryFolder folder;
  EventWriter events(folder.path());
  events.scalar("loss", 1, 1);
  {
    const test::FullDisk disk(content_of(events.path()).size() + 20);
    EXPECT_THROW(events.scalar("loss", 2, 2), FileError);
  }
  events.scalar("loss", 3, 3);
  const EventFile file = read_events(events.path());
  ASSERT_EQ(file.events.size(), 3u);
  EXPECT_FALSE(file.torn);
  EXPECT_EQ(file.events[2].step, 3);
}

TEST(EventWriter, ResumeAppendsAfterTheLastCompleteRecord) {
  const TemporaryFolder folder;
  EventWriter events(folder.path());
  events.scalar("loss", 1, 1);
  events.scalar("loss", 2, 2);
  const std::string path =
      folder.file("torn", content_of(events.path()).substr(0, content_of(events.path()).size() - 3));
  EventWriter::resume(path).scalar("loss", 3, 3);
  const EventFile file = read_events(path);
  EXPECT_FALSE(file.torn);
  ASSERT_EQ(file.events.size(), 3u);
  EXPECT_EQ(file.events[1].step, 1);
  EXPECT_EQ(file.events[2].step, 3);
  const std::string other = folder.file("other", "notes");
  EXPECT_THROW(EventWriter::resume(other), FormatError);
  EXPECT_EQ(content_of(other), "notes") << "a file that is not an event file must stay unchanged";
  EXPECT_THROW(EventWriter::resume(folder / "absent"), FileError);
}

}  // namespace
}  // namespace minima::event_reader_test
