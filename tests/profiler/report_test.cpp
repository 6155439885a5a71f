#include <minima/profiler/report.h>

#include <minima/io/text/json.h>
#include <minima/profiler/recording.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace minima::profiler::report_test {
namespace {

constexpr Roof roof{.bytes_per_second = 1e9, .flops_per_second = 1e10, .call_seconds = 0.001};

/// A step of 100 ms: a product at half of the roof, a copy at all of it, a view, and a gradient.
Recording recording() {
  Recording r;
  r.names = {"", "matmul", "copy", "view", "matmul_gradient", "net.a"};
  const auto add = [&](int name, int module, int parent, SpanKind kind, bool backward, double begin, double end,
                       Cost cost) {
    r.spans.push_back({.name = name,
                       .module = module,
                       .parent = parent,
                       .kind = kind,
                       .backward = backward,
                       .begin = begin,
                       .end = end,
                       .cost = cost});
  };
  add(5, 5, -1, SpanKind::module, false, 0.000, 0.060, {});
  add(1, 5, 0, SpanKind::op, false, 0.001, 0.041, {.flops = 2e8, .bytes = 1e6});
  add(2, 5, 1, SpanKind::op, false, 0.002, 0.005, {.flops = 0, .bytes = 1e6});  // inside the product
  add(3, 5, 0, SpanKind::op, false, 0.041, 0.0415, {});
  add(2, 5, 0, SpanKind::op, false, 0.050, 0.060, {.flops = 0, .bytes = 1e7});
  add(4, 5, -1, SpanKind::formula, true, 0.060, 0.090, {});
  add(1, 5, 5, SpanKind::op, true, 0.061, 0.081, {.flops = 2e8, .bytes = 1e6});
  r.seconds = 0.1;
  r.loader_seconds = 0.004;
  r.steps = 1;
  return r;
}

TEST(Report, PutsEveryMillisecondIntoOneAccount) {
  const Report report = summarize(recording(), roof);
  const Ledger& ledger = report.ledger;
  EXPECT_NEAR(ledger.compute, 0.039 + 0.019, 1e-12);
  EXPECT_NEAR(ledger.memory, 0.009, 1e-12);
  EXPECT_NEAR(ledger.calls, 3 * 0.001 + 0.0005, 1e-12);
  EXPECT_NEAR(ledger.engine, 0.010, 1e-12);
  EXPECT_NEAR(ledger.loader, 0.004, 1e-12);
  EXPECT_NEAR(ledger.host, 0.1 - 0.0705 - 0.010 - 0.004, 1e-12);
  EXPECT_NEAR(ledger.total(), 0.1, 1e-12);
}

TEST(Report, WaitsAreNotTheOperatorsWork) {
  Recording r = recording();
  const auto wait = [&](int parent, bool backward, Wait reason, double begin, double end, double bytes) {
    r.spans.push_back({.name = 0,
                       .parent = parent,
                       .kind = SpanKind::wait,
                       .backward = backward,
                       .begin = begin,
                       .end = end,
                       .cost = {.bytes = bytes},
                       .wait = reason});
  };
  wait(2, false, Wait::threads, 0.003, 0.004, 0);      // in the copy inside the product
  wait(1, false, Wait::to_device, 0.010, 0.015, 2e6);  // in the product
  wait(8, false, Wait::device, 0.011, 0.012, 0);       // in that copy, so not once more
  wait(5, true, Wait::ranks, 0.082, 0.084, 0);         // in a gradient
  wait(-1, false, Wait::device, 0.092, 0.095, 0);      // in nothing
  const Report report = summarize(r, roof);
  const Ledger& ledger = report.ledger;
  EXPECT_NEAR(ledger.threads, 0.001, 1e-12);
  EXPECT_NEAR(ledger.transfers, 0.005, 1e-12);
  EXPECT_NEAR(ledger.communication, 0.002, 1e-12);
  EXPECT_NEAR(ledger.synchronization, 0.003, 1e-12);
  EXPECT_NEAR(ledger.compute, 0.039 - 0.006 + 0.019, 1e-12);
  EXPECT_NEAR(ledger.engine, 0.008, 1e-12);
  EXPECT_NEAR(ledger.total(), 0.1, 1e-12);
  EXPECT_NEAR(report.to_device.seconds, 0.005, 1e-12);
  EXPECT_EQ(report.to_device.bytes, 2e6);
  EXPECT_EQ(report.from_device.bytes, 0);
  EXPECT_NE(report.text().find("copies to a GPU: 2.000 MB in 5.000 ms"), std::string::npos) << report.text();
}

TEST(Report, AnOperatorThatWaitsForRanksIsBoundByCommunication) {
  Recording r = recording();
  r.spans.push_back(
      {.name = 0, .parent = 1, .kind = SpanKind::wait, .begin = 0.010, .end = 0.035, .cost = {}, .wait = Wait::ranks});
  const Report report = summarize(r, roof);
  EXPECT_EQ(report.rows[0].op, "matmul");
  EXPECT_EQ(report.rows[0].bound, Bound::communication);
  EXPECT_EQ(report.by_op()[0].bound, Bound::communication);
}

TEST(Report, ColumnsOfLongNamesDoNotTouch) {
  Recording r = recording();
  r.names[1] = "linear_weight_gradient_of_many";
  const std::string text = summarize(r, roof).text(20, true);
  EXPECT_NE(text.find("linear_weight_gradient_of_many, backward  net.a"), std::string::npos) << text;
}

TEST(Report, RanksByTimeLostToTheRoof) {
  const Report report = summarize(recording(), roof);
  ASSERT_EQ(report.rows.size(), 4u);
  const Row& first = report.rows[0];
  EXPECT_EQ(first.op, "matmul");
  EXPECT_EQ(first.module, "net.a");
  EXPECT_FALSE(first.backward);
  EXPECT_NEAR(first.seconds, 0.040, 1e-12);
  EXPECT_NEAR(first.roof_seconds, 0.020, 1e-12);
  EXPECT_NEAR(first.of_roof(), 0.5, 1e-12);
  EXPECT_NEAR(first.lost(), 0.020, 1e-12);
  EXPECT_EQ(first.bound, Bound::compute);
  const auto row = [&](const char* op, bool backward) {
    return *std::find_if(report.rows.begin(), report.rows.end(),
                         [&](const Row& r) { return r.op == op && r.backward == backward; });
  };
  EXPECT_EQ(row("view", false).bound, Bound::call);
  EXPECT_EQ(row("copy", false).bound, Bound::memory);
  EXPECT_EQ(row("copy", false).calls, 1) << "what the product copies is its own";
  EXPECT_NEAR(row("matmul", true).lost(), 0, 1e-12) << "it runs at the roof";
}

TEST(Report, CostsOfAnOperatorWithoutOneAreThoseOfWhatItRuns) {
  Recording r = recording();
  r.spans[1].cost = {};
  for (const Row& row : summarize(r, roof).rows) {
    if (row.op == "matmul" && !row.backward) {
      EXPECT_EQ(row.bytes, 1e6);
      return;
    }
  }
  FAIL() << "no row";
}

TEST(Report, AveragesSteps) {
  Recording r = recording();
  r.steps = 4;
  const Report report = summarize(r, roof);
  EXPECT_NEAR(report.ledger.total(), 0.025, 1e-12);
  EXPECT_EQ(report.json().at("ops").items().at(0).at("calls").number(), 0.25);
}

TEST(Report, LeavesOutWhatFollowsTheLastStep) {
  Recording r = recording();
  r.seconds = 0.060;
  EXPECT_NEAR(summarize(r, roof).ledger.total(), 0.060, 1e-12);
  EXPECT_EQ(summarize(r, roof).ledger.engine, 0);
}

TEST(Report, IsText) {
  const std::string text = summarize(recording(), roof).text();
  for (const char* part :
       {"1 step of 100.000 ms; roof 10 GFLOP/s, 1.0 GB/s, 1000.00 us a call", "  compute             58.000 ms   58.0%",
        "  matmul ", "  matmul, backward ", " FLOP/byte ", "bound by\n", "50.0%"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_EQ(text.find("net.a"), std::string::npos) << "modules only on request";
  EXPECT_NE(summarize(recording(), roof).text(20, true).find("net.a"), std::string::npos);
  EXPECT_NE(summarize(recording(), roof).text(1).find("  3 more: 30.500 ms"), std::string::npos)
      << summarize(recording(), roof).text(1);
}

TEST(Report, IsJson) {
  const Json json = Json::parse(summarize(recording(), roof).json().text());
  EXPECT_NEAR(json.at("step_ms").number(), 100, 1e-9);
  EXPECT_NEAR(json.at("ledger_ms").at("engine").number(), 10, 1e-9);
  const Json& first = json.at("ops").items().at(0);
  EXPECT_EQ(first.at("op").string(), "matmul");
  EXPECT_EQ(first.at("bound").string(), "compute");
  EXPECT_NEAR(first.at("gflop").number(), 0.2, 1e-9);
  EXPECT_NEAR(first.at("flop_per_byte").number(), first.at("gflop").number() / first.at("gb").number(), 1e-9);
}

TEST(Report, OfNothingIsEmpty) {
  const Report report = summarize({}, roof);
  EXPECT_TRUE(report.rows.empty());
  EXPECT_EQ(report.ledger.total(), 0);
  EXPECT_NE(report.text().find("0 steps"), std::string::npos);
}

}  // namespace
}  // namespace minima::profiler::report_test
