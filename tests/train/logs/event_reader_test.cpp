#include "tests/support/full_disk.h"
#include "tests/support/temporary_folder.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>
#include <minima/train/logs/event_reader.h>
#include <minima/train/logs/event_writer.h>

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
