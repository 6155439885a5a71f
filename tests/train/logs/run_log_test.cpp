#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/text/csv.h>
#include <minima/tensor/base/error.h>
#include <minima/train/logs/compare_runs.h>
#include <minima/train/logs/event_writer.h>
#include <minima/train/logs/jsonl.h>
#include <minima/train/logs/run_log.h>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace minima::run_log_test {
namespace {

using test::message_of;
using test::TemporaryFolder;
using Numbers = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(RunLog, ReadsEventsCsvAndJsonLinesAlike) {
  const TemporaryFolder folder;
  EventWriter events(folder / "events");
  CsvWriter csv(folder / "log.csv", {"step", "loss", "accuracy"});
  JsonlWriter json(folder / "log.jsonl");
  for (int step = 10; step <= 30; step += 10) {
    const double loss = 8.0 / step;
    events.scalar("loss", loss, step);
    events.scalar("accuracy", 0.5, step);
    events.text("note", "text", step);
    csv.row(step, loss, 0.5);
    json.row({{"step", step}, {"loss", loss}, {"accuracy", 0.5}, {"note", "text"}});
  }
  for (const std::string& path : {events.path(), folder / "events", folder / "log.csv", folder / "log.jsonl"}) {
    const RunLog log = read_run_log(path);
    ASSERT_EQ(log.curves.size(), 2u) << path;
    const Series& loss = curve_of(log, "loss");
    EXPECT_EQ(loss.x, (Numbers{10, 20, 30})) << path;
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_FLOAT_EQ(static_cast<float>(loss.y[i]), 8.0F / (10 * (i + 1.0F))) << path;
    EXPECT_EQ(curve_of(log, "accuracy").y, (Numbers{0.5, 0.5, 0.5})) << path;
  }
}

TEST(RunLog, RowsWithoutAStepAreNumbered) {
  const TemporaryFolder folder;
  EXPECT_EQ(curve_of(read_run_log(folder.file("a.csv", "loss,note\n3,x\n2,y\n")), "loss").x, (Numbers{0, 1}));
  EXPECT_EQ(curve_of(read_run_log(folder.file("a.jsonl", "{\"loss\": 3}\n{\"loss\": 2}\n")), "loss").x,
            (Numbers{0, 1}));
  EXPECT_EQ(curve_of(read_run_log(folder.file("b.csv", "epoch,loss\n5,2\n")), "loss").x, Numbers{5});
}

TEST(RunLog, AnEmptyCellIsNoValueButNanIs) {
  const TemporaryFolder folder;
  for (const std::string& path :
       {folder.file("a.csv", "step,loss,accuracy\n1,3,\n2,nan,0.5\n"),
        folder.file("a.jsonl", "{\"step\": 1, \"loss\": 3}\n{\"step\": 2, \"loss\": null, \"accuracy\": 0.5}\n")}) {
    const RunLog log = read_run_log(path);
    EXPECT_EQ(curve_of(log, "accuracy").x, Numbers{2}) << path;
    ASSERT_EQ(curve_of(log, "loss").y.size(), 2u) << path;
    EXPECT_TRUE(std::isnan(curve_of(log, "loss").y[1])) << path;
  }
}

TEST(RunLog, ReadsWhatOtherProgramsWrite) {
  const TemporaryFolder folder;
  const RunLog python =
      read_run_log(folder.file("a.jsonl",
                               "\xef\xbb\xbf{\"step\": 1, \"loss\": 3}\n{\"step\": 2, \"loss\": NaN}\n"
                               "{\"step\": 3, \"loss\": Infinity}\n{\"step\": 4, \"loss\": 1e-400}\n"));
  EXPECT_EQ(curve_of(python, "loss").x, (Numbers{1, 2, 3, 4}));
  EXPECT_TRUE(std::isnan(curve_of(python, "loss").y[1]));
  EXPECT_EQ(curve_of(python, "loss").y[2], HUGE_VAL);
  EXPECT_EQ(curve_of(python, "loss").y[3], 0);
  const RunLog rows = read_run_log(folder.file("b.jsonl",
                                               "{\"loss\": 3}\r\n\n{\"loss\": 123456789012345678901234}\n\n"
                                               "{\"loss\": 1}"));
  EXPECT_EQ(curve_of(rows, "loss").x, (Numbers{0, 1, 2})) << "empty lines, and a last one without an end";
  EXPECT_EQ(curve_of(rows, "loss").y, (Numbers{3, 1.2345678901234568e23, 1}));
  const RunLog csv = read_run_log(folder.file("a.csv", "step,loss,p\n1,3,1e-400\n\n2,1e400,0.5\n\n"));
  EXPECT_EQ(curve_of(csv, "loss").y, (Numbers{3, HUGE_VAL}));
  EXPECT_EQ(curve_of(csv, "p").y, (Numbers{0, 0.5}));
  EXPECT_NO_THROW(compare_runs_svg({python, csv}, {"loss"}));
}

TEST(JsonlWriter, TakesNamesOfAnyBytesAndResumesAfterAPythonLog) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.jsonl", "{\"loss\": NaN}");
  JsonlWriter(path).row({{"caf\xe9", "\xff"}, {"loss", 1}});
  EXPECT_EQ(test::content_of(path), "{\"loss\": NaN}\n{\"caf\uFFFD\": \"\uFFFD\", \"loss\": 1}\n");
}

TEST(RunLog, AResumedRunReplacesTheStepsThatItRepeats) {
  const TemporaryFolder folder;
  EventWriter first(folder.path());
  for (int step = 1; step <= 4; ++step) first.scalar("loss", 1, step);
  EventWriter second(folder.path());
  for (int step = 3; step <= 5; ++step) second.scalar("loss", 2, step);
  const RunLog log = read_run_log(folder.path());
  EXPECT_EQ(curve_of(log, "loss").x, (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(curve_of(log, "loss").y, (Numbers{1, 1, 2, 2, 2}));
}

TEST(RunLog, LeavesOutARowThatIsBeingWritten) {
  const TemporaryFolder folder;
  EXPECT_EQ(curve_of(read_run_log(folder.file("a.jsonl", "{\"loss\": 3}\n{\"lo")), "loss").y, Numbers{3});
  EXPECT_CONTAINS(message_of<FormatError>([&] { read_run_log(folder.file("a.jsonl", "{\"loss\": 3}\n{\"lo\n")); }),
                  "a.jsonl: line 2: byte ");
  EXPECT_CONTAINS(message_of<FormatError>([&] { read_run_log(folder.file("a.jsonl", "[3]\n")); }),
                  "the line is not a JSON object");
}

TEST(RunLog, NamesWhatIsNoLog) {
  const TemporaryFolder folder;
  EXPECT_CONTAINS(message_of<ValueError>([&] { read_run_log(folder.file("notes.txt", "x")); }),
                  "notes.txt is no log: expected an event file");
  std::filesystem::create_directory(folder / "empty");
  EXPECT_CONTAINS(message_of<ValueError>([&] { read_run_log(folder / "empty"); }), "holds no event file");
  folder.file("a.csv", "loss\n1\n");
  folder.file("b.csv", "loss\n1\n");
  EXPECT_CONTAINS(message_of<ValueError>([&] { read_run_log(folder.path()); }), "name one of them");
  EXPECT_THROW(read_run_log(folder / "absent.csv"), FileError);
}

TEST(RunLog, ListsTheTagsForOneThatIsMissing) {
  const TemporaryFolder folder;
  const RunLog log = read_run_log(folder.file("a.csv", "step,loss,accuracy\n1,3,0.5\n"));
  EXPECT_EQ(message_of<ValueError>([&] { curve_of(log, "los"); }),
            (folder / "a.csv") + " has no scalar los; it has accuracy, loss");
  EXPECT_CONTAINS(message_of<ValueError>([&] { curve_of(read_run_log(folder.file("b.csv", "name\nx\n")), "loss"); }),
                  "it has none at all");
}

TEST(RunLog, ShortNamesAreWhatPathsDoNotShare) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(short_names({"runs/a/log.csv", "runs/b/log.csv"}), (Names{"a", "b"}));
  EXPECT_EQ(short_names({"/x/runs/a/", "/x/runs/b"}), (Names{"a", "b"}));
  EXPECT_EQ(short_names({"runs/a/events.out.tfevents.1", "runs/b/c/events.out.tfevents.2"}), (Names{"a", "b/c"}));
  EXPECT_EQ(short_names({"runs/a"}), Names{"a"});
  EXPECT_EQ(short_names({"runs/a", "runs/a"}), (Names{"runs/a", "runs/a"}));
  EXPECT_EQ(short_names({"/a.csv", "/b.csv"}), (Names{"a.csv", "b.csv"}));
}

TEST(CompareRuns, TheMovingAverageHasNoBiasAtTheStart) {
  EXPECT_EQ(smoothed({4, 4, 4}, 0.9), (Numbers{4, 4, 4}));
  const Numbers mean = smoothed({1, 3, nan, 5}, 0.5);
  EXPECT_EQ(mean[0], 1);
  EXPECT_DOUBLE_EQ(mean[1], (1 * 0.25 + 3 * 0.5) / 0.75);
  EXPECT_TRUE(std::isnan(mean[2]));
  EXPECT_DOUBLE_EQ(mean[3], (1 * 0.125 + 3 * 0.25 + 5 * 0.5) / 0.875);
  EXPECT_EQ(smoothed({1, 3}, 0), (Numbers{1, 3}));
  EXPECT_CONTAINS(message_of<ValueError>([] { smoothed({1}, 1); }), "[0, 1)");
}

/// The paths of a picture with at least 100 points, as a list of `x y`.
std::vector<std::vector<std::string>> long_paths(const std::string& svg) {
  std::vector<std::vector<std::string>> paths;
  for (std::size_t at = svg.find(" d=\"M"); at != std::string::npos; at = svg.find(" d=\"M", at + 1)) {
    std::vector<std::string> points(1);
    for (const char c : svg.substr(at + 5, svg.find('"', at + 5) - at - 5))
      if (c == 'L') points.emplace_back();
      else points.back() += c;
    if (points.size() >= 100) paths.push_back(std::move(points));
  }
  return paths;
}

TEST(CompareRuns, TheMeanDoesNotLagBehindTheValues) {
  RunLog run{.path = "run", .curves = {}};
  Series& ramp = run.curves["loss"];
  for (int i = 0; i <= 200; ++i) ramp.x.push_back(i), ramp.y.push_back(i);
  const std::string svg = compare_runs_svg({run}, {"loss"}, {.smoothing = 0.9});
  const auto paths = long_paths(svg);
  ASSERT_EQ(paths.size(), 2u) << svg;
  EXPECT_EQ(paths[0], paths[1]);
  for (std::size_t i = 0; i < ramp.y.size(); i += 2) ramp.y[i] += 50;
  const auto noisy = long_paths(compare_runs_svg({run}, {"loss"}, {.smoothing = 0.9}));
  ASSERT_EQ(noisy.size(), 2u);
  EXPECT_NE(noisy[0], noisy[1]) << "is a mean at all";
  EXPECT_NE(svg.find(">pale: the values; line: their moving mean<"), std::string::npos);
  EXPECT_EQ(compare_runs_svg({run}, {"loss"}, {.smoothing = 0}).find("pale: "), std::string::npos);
}

TEST(CompareRuns, DrawsEachRunRawAndSmoothedInItsColour) {
  const TemporaryFolder folder;
  const std::string rows = "step,loss,lr\n1,3,0.1\n2,1,0.1\n3,2,0.1\n";
  const std::vector<RunLog> runs{read_run_log(folder.file("a.csv", rows)), read_run_log(folder.file("b.csv", rows))};
  const std::string svg = compare_runs_svg(runs, {"loss", "lr"}, {.title = "Two runs"});
  EXPECT_EQ(count(svg, ">Two runs<"), 1);
  EXPECT_EQ(count(svg, ">lr<"), 1);
  EXPECT_EQ(count(svg, ">a.csv<"), 2) << "a legend for each plot";
  EXPECT_EQ(count(svg, "stroke=\"#0072b2\""), 4) << "legend and curve, twice";
  EXPECT_EQ(count(svg, "stroke=\"#b3d5e8\""), 2) << "the values of the first run behind it";
  EXPECT_LT(svg.rfind("stroke=\"#f2cfb3\"", svg.find(">lr<")), svg.find("stroke-width=\"2\""));
  const std::string raw = compare_runs_svg(runs, {"loss"}, {.smoothing = 0});
  EXPECT_EQ(count(raw, "stroke=\"#b3d5e8\""), 0);
  EXPECT_CONTAINS(message_of<ValueError>([&] { compare_runs_svg(runs, {"accuracy"}); }), "it has loss, lr");
  EXPECT_THROW(compare_runs_svg({}, {"loss"}), ValueError);
}

TEST(RunLog, TagsOfAFileAreListedPrintably) {
  const TemporaryFolder folder;
  const RunLog log = read_run_log(folder.file("a.csv", "step,\x1b]0;owned\x07,\"a\nb\"\n1,2,3\n"));
  EXPECT_CONTAINS(message_of<ValueError>([&] { curve_of(log, "loss"); }), "it has \\x1b]0;owned\\x07, a\\x0ab");
}

}  // namespace
}  // namespace minima::run_log_test
