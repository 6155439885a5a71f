#include "simulated/dryrun/tally.h"

#include "simulated/dryrun/report.h"

#include <gtest/gtest.h>

namespace minima::tally_test {
namespace {

using simulated::DryRunReport;
using simulated::KernelGroup;
using simulated::Piece;
using simulated::WorkKind;

Piece kernel(const char* name, const char* op, double read, double written) {
  return {.name = std::string("kernel ") + name,
          .label = {.op = op, .module = "blocks.0"},
          .cost = {.kind = WorkKind::kernel, .bytes_read = read, .bytes_written = written, .blocks = 8, .threads = 256},
          .begin = 0,
          .end = 1e-3};
}

TEST(DryRunTally, TellsCastsFromLayoutCopies) {
  const Piece cast = kernel("packed_loop_kernel", "copy", 400, 200),
              back = kernel("packed_loop_kernel", "copy", 200, 400);
  const Piece strided = kernel("strided_loop_kernel", "gelu/copy", 400, 400);
  const Piece transposed = kernel("transpose_kernel", "copy", 400, 400);
  const Piece clone = kernel("packed_loop_kernel", "copy", 400, 400),
              add = kernel("strided_loop_kernel", "add", 400, 200);
  EXPECT_TRUE(is_cast(cast) && is_cast(back));
  EXPECT_FALSE(is_layout_copy(cast));
  EXPECT_TRUE(is_layout_copy(strided) && is_layout_copy(transposed));
  EXPECT_FALSE(is_cast(strided));
  EXPECT_FALSE(is_cast(clone) || is_layout_copy(clone)) << "a copy that keeps both";
  EXPECT_FALSE(is_cast(add) || is_layout_copy(add));
}

DryRunReport report() {
  DryRunReport result;
  result.gpu = "H200";
  result.predicted_ms = 5;
  result.pieces = {kernel("packed_loop_kernel", "add", 100, 100), kernel("packed_loop_kernel", "add", 100, 100),
                   kernel("strided_loop_kernel", "mul", 100, 100), kernel("attention_kernel", "attention", 1, 1)};
  result.pieces.push_back({.name = "cublasLtMatmul",
                           .stream = 1,
                           .label = {.op = "linear", .backward = true},
                           .cost = {.kind = WorkKind::product, .flops = 1e9, .fallback = "operands are not aligned"},
                           .begin = 1e-3,
                           .end = 4e-3});
  Piece tiny = kernel("advance_kernel", "", 8, 8);
  tiny.cost.blocks = tiny.cost.threads = 1;
  tiny.cost.counted = false;
  result.pieces.push_back(tiny);
  result.host_calls = {
      {"cudaLaunchKernel", {}, 5}, {"cudaStreamSynchronize", {}, 2}, {"cudaMalloc", {}, 1}, {"cuMemMap", {}, 3}};
  tally(result, "head of 3");
  return result;
}

TEST(DryRunTally, AddsUp) {
  const DryRunReport r = report();
  EXPECT_EQ(r.launches, 6);
  EXPECT_EQ(r.bytes, 618);
  EXPECT_EQ(r.flops, 1e9);
  EXPECT_NEAR(r.gpu_ms, 8, 1e-9);
  EXPECT_EQ(r.strided_loops, 1);
  EXPECT_EQ(r.one_thread_grids, 1);
  EXPECT_EQ(r.uncounted_kernels, 1);
  EXPECT_EQ(r.calls, 11);
  EXPECT_EQ(r.synchronisations, 2);
  EXPECT_EQ(r.allocations, 1);
  EXPECT_EQ(r.page_moves, 3);
}

TEST(DryRunTally, SaysWhyFallbacksRan) {
  const DryRunReport r = report();
  ASSERT_EQ(r.fallbacks.size(), 2u);
  EXPECT_EQ(r.fallbacks[0].op, "attention");
  EXPECT_EQ(r.fallbacks[0].why, "head of 3");
  EXPECT_EQ(r.fallbacks[1].op, "linear");
  EXPECT_EQ(r.fallbacks[1].why, "operands are not aligned");
}

TEST(DryRunTally, GroupsByKernelOperatorAndDirection) {
  const std::vector<KernelGroup> groups = groups_of(report());
  ASSERT_EQ(groups.size(), 5u);
  EXPECT_EQ(groups[0].name, "cublasLtMatmul") << "the longest first";
  EXPECT_TRUE(groups[0].backward);
  EXPECT_EQ(groups[1].count, 2);
  EXPECT_EQ(groups[1].bytes, 400);
  EXPECT_NEAR(groups[1].milliseconds, 2, 1e-9);
  EXPECT_NEAR(groups[1].filled, 8.0 / (132 * 8), 1e-9) << "8 blocks on 132 multiprocessors that hold 8 each";
}

TEST(DryRunReports, CallPredictionsPredictions) {
  const DryRunReport r = report();
  const std::string text = text_report(r);
  EXPECT_NE(text.find("predictions, not measurements"), std::string::npos);
  EXPECT_NE(text.find("5.000 ms"), std::string::npos);
  EXPECT_NE(text.find("1 × attention in blocks.0: kernel attention_kernel, since head of 3"), std::string::npos)
      << text;
  EXPECT_TRUE(to_json(r).at("prediction").boolean());
  EXPECT_NE(timeline_svg(r).find("predicted: 5 ms a step on H200, 6 launches"), std::string::npos);
}

TEST(DryRunReports, GiveProgramsTheirNumbers) {
  const Json json = Json::parse(to_json(report()).text());
  EXPECT_EQ(json.at("predicted_ms").number(), 5);
  EXPECT_EQ(json.at("launches").integer(), 6);
  for (const char* const key : {"bytes", "peak_bytes", "layout_copies", "casts", "synchronisations"})
    EXPECT_GE(json.at(key).number(), 0) << key;
  EXPECT_EQ(json.at("fallbacks").items().size(), 2u);
  EXPECT_EQ(json.at("kernels").items().size(), 5u);
  EXPECT_EQ(json.at("host_calls").at("cudaLaunchKernel").integer(), 5);
}

TEST(DryRunReports, DrawARowForEachStream) {
  const std::string picture = timeline_svg(report());
  EXPECT_NE(picture.find("stream 0"), std::string::npos);
  EXPECT_NE(picture.find("stream 1"), std::string::npos);
  EXPECT_EQ(picture.find("stream 2"), std::string::npos);
  EXPECT_NE(picture.find("ms"), std::string::npos);
  EXPECT_FALSE(timeline_svg(DryRunReport()).empty()) << "a step that does nothing";
}

TEST(DryRunReports, ListTheRestOfTheKernelsInOneLine) {
  const std::string text = text_report(report(), 2);
  EXPECT_NE(text.find("3 more: 3.000 ms"), std::string::npos) << text;
}

}  // namespace
}  // namespace minima::tally_test
