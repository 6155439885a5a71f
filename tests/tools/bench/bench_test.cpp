#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/text/json.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace minima::bench_test {
namespace {

using test::Outcome;

Outcome run(const std::string& arguments, const std::string& program = MINIMA_BENCH) {
  return test::run_program("'" + program + "' " + arguments);
}

const std::string smallest = "--device cpu --seconds 0.001 --largest 64 ";

/// The keys in the output of --list, of tables that need a GPU or of the others.
std::vector<std::string> keys(const std::string& list, bool of_gpus) {
  std::vector<std::string> found;
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t end = list.find('\n', start);
    const std::string line = list.substr(start, end - start);
    if ((line.find("(needs a GPU)") != std::string::npos) == of_gpus) found.push_back(line.substr(0, line.find(' ')));
    start = end + 1;
  }
  return found;
}

TEST(Bench, EveryTableOfTheCpuHasFigures) {
  const Outcome list = run("--list");
  ASSERT_EQ(list.code, 0);
  const std::vector<std::string> wanted = keys(list.output, false), others = keys(list.output, true);
  EXPECT_GE(wanted.size(), 10u);
  EXPECT_GE(others.size(), 4u);
  const Outcome outcome = run(smallest + "--json 2>/dev/null");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const Json result = Json::parse(outcome.output);
  EXPECT_EQ(result.at("device").string(), "cpu");
  for (const std::string& key : wanted) {
    const Json* const table = result.at("tables").find(key);
    ASSERT_TRUE(table) << key;
#ifndef MINIMA_HAVE_DRYRUN
    if (key == "predictions") {
      EXPECT_NE(table->at("notes").items().at(0).string().find("minima-dryrun is not in"), std::string::npos);
      continue;
    }
#endif
    ASSERT_FALSE(table->at("rows").members().empty()) << key;
    for (const auto& [name, figures] : table->at("rows").members())
      EXPECT_FALSE(figures.members().empty()) << key << ", " << name;
  }
  std::vector<std::string> not_run;
  for (const Json& key : result.at("not_run").items()) not_run.push_back(key.string());
  EXPECT_EQ(not_run, others);
}

TEST(Bench, TextHasTitlesRowsAndWhatDidNotRun) {
  const Outcome outcome = run(smallest + "--only batches,captured,streams 2>&1");
  EXPECT_EQ(outcome.code, 0);
  for (const char* part : {"batches: latency and throughput of inference by batch size\n", "  batch  perceptron, ms",
                           "\n  32 ", "\nnot run, without a GPU: captured, streams\n"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\nin\n" << outcome.output;
}

#ifdef MINIMA_HAVE_DRYRUN
TEST(Bench, PredictionsAreThoseOfTheDryRun) {
  const Outcome outcome = run(smallest + "--only predictions --json 2>/dev/null");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const Json rows = Json::parse(outcome.output).at("tables").at("predictions").at("rows");
  ASSERT_EQ(rows.members().size(), 6u);
  const Json eager = rows.at("mlp, H200"), captured = rows.at("mlp, H200 --capture");
  EXPECT_LT(captured.at("host's calls, ms").number(), eager.at("host's calls, ms").number());
  EXPECT_GE(eager.at("predicted, ms").number(), eager.at("GPU busy, ms").number());
}
#endif

TEST(Bench, LargeBlocksLeaveMultiprocessorsIdle) {
  const Outcome outcome = run(smallest + "--only blocks --json 2>/dev/null");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const Json rows = Json::parse(outcome.output).at("tables").at("blocks").at("rows");
  const auto figure = [&](const char* row, const char* column) { return rows.at(row).at(column).number(); };
  const char* const busy = "multiprocessors with work, 10⁴ elements, %";
  EXPECT_NEAR(figure("64, 32 registers", busy), 100, 1e-9);
  EXPECT_NEAR(figure("1024, 32 registers", busy), 100 * 10.0 / 132, 1e-9);
  const char* const resident = "resident, % of a multiprocessor's threads";
  EXPECT_EQ(figure("256, 32 registers", resident), 100);
  EXPECT_EQ(figure("256, 128 registers", resident), 25) << "512 of 2,048 threads have registers";
  const char* const time = "10⁸ elements, µs";
  EXPECT_GT(figure("256, 128 registers", time), 1.5 * figure("256, 32 registers", time)) << "too few loads in flight";
  EXPECT_FALSE(rows.find("1024, 128 registers")) << "does not fit a multiprocessor";
}

class BenchBaseline : public testing::Test {
 protected:
  /// The result of a run in which the last `batches` row's times are multiplied.
  std::string file(double factor) {
    const Outcome outcome = run(smallest + "--only batches --json 2>/dev/null");
    Json result = Json::parse(outcome.output), tables = result.at("tables"), batches = tables.at("batches");
    Json rows = batches.at("rows"), row = rows.at("32");
    row.set("perceptron, ms", row.at("perceptron, ms").number() * factor);
    rows.set("32", row), batches.set("rows", rows), tables.set("batches", batches), result.set("tables", tables);
    const std::string path = folder_.path() + "/baseline.json";
    std::ofstream(path) << result.text();
    return path;
  }
  test::TemporaryFolder folder_;
};

TEST_F(BenchBaseline, NamesTheRowThatHasBecomeSlower) {
  const Outcome outcome = run(smallest + "--only batches --threshold 100 --baseline " + file(1e-4) + " 2>&1");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("24 figures compared with "), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("\nbatches, 32, perceptron, ms: "), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find("\nbatches, 16,"), std::string::npos) << outcome.output;
}

TEST_F(BenchBaseline, IsContentWithWhatIsAsFast) {
  EXPECT_EQ(run(smallest + "--only batches --threshold 100 --baseline " + file(1) + " 2>&1").code, 0);
}

TEST_F(BenchBaseline, ExplainsFilesItCannotRead) {
  const Outcome absent = run(smallest + "--baseline /nowhere.json 2>&1");
  EXPECT_EQ(absent.code, 2);
  EXPECT_EQ(absent.output, "minima-bench: /nowhere.json: cannot be read\n");
  const std::string path = folder_.path() + "/other.json";
  std::ofstream(path) << "{\"rows\": 3}";
  const Outcome other = run(smallest + "--baseline " + path + " 2>&1");
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.output, "minima-bench: " + path + ": is no result of minima-bench --json\n");
}

TEST(Bench, ExplainsArgumentsItDoesNotKnow) {
  const auto refused = [](const std::string& arguments, const std::string& text) {
    const Outcome outcome = run(arguments + " 2>&1");
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.output, "minima-bench: " + text + '\n');
  };
  refused("--fast", "unknown argument --fast");
  refused("--only roofs,doors", "there is no table `doors`; minima-bench --list names them");
  refused("--seconds -1", "--seconds needs a number of at least 0.001, got -1");
  refused("--largest 4k", "--largest needs a number of at least 64, got 4k");
  refused("--device tpu", "--device needs cpu or cuda, got tpu");
  refused("--json --baseline", "--baseline needs a value");
  EXPECT_EQ(run("--help").output.substr(0, 30), "usage: minima-bench [options]\n");
}

#ifdef MINIMA_SIMULATED_BENCH
TEST(SimulatedBench, RunsTheTablesThatNeedAGpu) {
  const Outcome list = run("--list");
  std::string only;
  for (const std::string& key : keys(list.output, true)) only += (only.empty() ? "" : ",") + key;
  const Outcome outcome =
      run("--device cuda --seconds 0.001 --largest 64 --json --only " + only + " 2>/dev/null", MINIMA_SIMULATED_BENCH);
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const Json result = Json::parse(outcome.output);
  EXPECT_TRUE(result.at("predicted").boolean());
  EXPECT_NE(result.at("gpu").string().find("H100"), std::string::npos);
  EXPECT_TRUE(result.at("not_run").items().empty());
  for (const std::string& key : keys(list.output, true)) {
    ASSERT_TRUE(result.at("tables").find(key)) << key;
    for (const auto& [name, figures] : result.at("tables").at(key).at("rows").members())
      EXPECT_FALSE(figures.members().empty()) << key << ", " << name;
  }
}
#endif

}  // namespace
}  // namespace minima::bench_test
