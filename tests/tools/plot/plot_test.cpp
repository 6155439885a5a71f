#include "tests/support/expect_error.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace minima::plot_test {
namespace {

using test::content_of;
using test::Outcome;
using test::TemporaryFolder;

Outcome run(const std::string& arguments) { return test::run_program("'" MINIMA_PLOT "' " + arguments + " 2>&1"); }

TEST(Plot, DrawsTwoRunsIntoAFile) {
  const TemporaryFolder folder;
  const std::string a = folder.file("a.csv", "step,loss\n1,3\n2,2\n"),
                    b = folder.file("b.csv", "step,loss\n1,4\n2,1\n"), picture = folder / "loss.svg";
  const Outcome outcome = run(a + " " + b + " --tag loss -o " + picture + " --title Losses --smooth 0.5 --log");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(outcome.output, "");
  const std::string svg = content_of(picture);
  EXPECT_EQ(svg.find("<svg"), 0u);
  for (const char* word : {">Losses<", ">a.csv<", ">b.csv<", "#0072b2", "#d55e00"}) EXPECT_CONTAINS(svg, word);
}

TEST(Plot, WritesToStandardOutput) {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder.file("a.csv", "step,loss\n1,3\n2,2\n") + " --tag loss");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output.find("<svg"), 0u) << outcome.output;
}

TEST(Plot, ListsTheTags) {
  const TemporaryFolder folder;
  const std::string log =
      folder.file("a.jsonl", "{\"step\": 1, \"loss\": 3}\n{\"step\": 2, \"loss\": 2, \"lr\": 0.1}\n");
  EXPECT_EQ(run(log + " --list").output, log + "\n  loss  2 values\n  lr  1 values\n");
}

TEST(Plot, AMissingTagIsAnErrorThatListsTheOthers) {
  const TemporaryFolder folder;
  const std::string log = folder.file("a.csv", "step,loss,accuracy\n1,3,0.5\n");
  const Outcome outcome = run(log + " --tag los -o " + (folder / "x.svg"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.output, "minima-plot: " + log + " has no scalar los; it has accuracy, loss\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "x.svg"));
}

TEST(Plot, PrintsTagsAndNamesOfFilesPrintably) {
  const TemporaryFolder folder;
  const std::string log = folder.file("a\x1b[31m.jsonl", "{\"step\": 1, \"\\u001b]0;owned\\u0007\\u202e\": 3}\n");
  EXPECT_EQ(run("'" + log + "' --list").output,
            (folder / "a\\x1b[31m.jsonl") + "\n  \\x1b]0;owned\\x07\\xe2\\x80\\xae  1 values\n");
  for (const std::string& wrong : {log, folder.file("b\x1b[31m.csv", "a,b\n1\n"), folder.file("c\x1b[31m", "")})
    EXPECT_EQ(run("'" + wrong + "' --tag x").output.find('\x1b'), std::string::npos);
}

TEST(Plot, MergesTracesOfRanks) {
  const TemporaryFolder folder;
  const std::string clock = "{\"minimaClock\":{\"machine\":\"m\",\"start_ns\":";
  const std::string a = folder.file("a.json", clock + "1000},\"traceEvents\":[{\"pid\":1,\"ts\":5}]}"),
                    b = folder.file("b.json", clock + "3000},\"traceEvents\":[{\"pid\":1,\"ts\":5}]}"),
                    merged = folder / "merged.json";
  const Outcome outcome = run("--traces " + a + " " + b + " -o " + merged);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_CONTAINS(content_of(merged), "{\"pid\": 1, \"ts\": 7.0}");  // microseconds since the first one's start
  EXPECT_EQ(run("--traces " + (folder / "none.json")).code, 1);
  EXPECT_EQ(run("--traces").output, "minima-plot: no trace is named; see minima-plot --help\n");
}

TEST(Plot, ExplainsWrongArguments) {
  for (const auto& [arguments, words] :
       {std::pair{"", "no run is named"}, std::pair{"a.csv", "--tag is missing; --list prints the tags there are"},
        std::pair{"a.csv --tag", "--tag needs a value"}, std::pair{"--tags x", "unknown argument --tags"},
        std::pair{"a.csv --tag x --smooth 1", "--smooth must be at least 0 and below 1, not 1"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.output, std::string("minima-plot: ") + words + "; see minima-plot --help\n");
  }
}

}  // namespace
}  // namespace minima::plot_test
