#include <minima/profiler/gpu/gpu_ledger.h>
#include <minima/profiler/recording.h>

#include <gtest/gtest.h>

#include <vector>

// By hand: what a thread and a GPU do at which time.

namespace minima::profiler::gpu_ledger_test {
namespace {

Span span(SpanKind kind, double begin, double end, std::int32_t parent = -1, Wait wait = Wait::device) {
  Span result;
  result.kind = kind;
  result.parent = parent;
  result.begin = begin;
  result.end = end;
  result.wait = wait;
  return result;
}
GpuWork work(double begin, double end, std::int32_t stream = 7) {
  return {.stream = stream, .begin = begin, .end = end};
}

GpuTimes ledger_of(const Recording& recording, const std::vector<GpuUse>& uses) {
  return gpu_ledger(recording.spans, recording.gpu.work, uses, recording.seconds);
}

TEST(LedgerOfGpus, ChargesIdleTimeToWhatTheThreadDoes) {
  Recording recording;
  recording.seconds = 10;
  recording.spans = {span(SpanKind::op, 1, 3), span(SpanKind::formula, 4, 7), span(SpanKind::op, 5, 6, 1)};
  recording.gpu.work = {work(2, 2.5), work(5.5, 6.25)};
  const GpuTimes ledger = ledger_of(recording, {GpuUse::compute, GpuUse::memory});
  EXPECT_DOUBLE_EQ(ledger.compute, 0.5);
  EXPECT_DOUBLE_EQ(ledger.memory, 0.75);
  EXPECT_DOUBLE_EQ(ledger.launch, 1.5 + 0.5);  // 1 to 2, 2.5 to 3, 5 to 5.5
  EXPECT_DOUBLE_EQ(ledger.engine, 1 + 0.75);   // 4 to 5, 6.25 to 7
  EXPECT_DOUBLE_EQ(ledger.host, 1 + 1 + 3);    // 0 to 1, 3 to 4, 7 to 10
  EXPECT_DOUBLE_EQ(ledger.total(), 10);
}

TEST(LedgerOfGpus, AGapThatBeganInAWaitIsSynchronizationUntilTheNextWork) {
  Recording recording;
  recording.seconds = 10;
  recording.spans = {span(SpanKind::wait, 1, 4), span(SpanKind::op, 5, 7), span(SpanKind::op, 8, 9)};
  recording.gpu.work = {work(0, 3), work(6, 6.5)};
  const GpuTimes ledger = ledger_of(recording, {GpuUse::compute, GpuUse::compute});
  EXPECT_DOUBLE_EQ(ledger.compute, 3.5);            // a busy GPU is no wait
  EXPECT_DOUBLE_EQ(ledger.synchronization, 1 + 1);  // 3 to 4, 5 to 6
  EXPECT_DOUBLE_EQ(ledger.launch, 0.5 + 1);         // 6.5 to 7, 8 to 9
  EXPECT_DOUBLE_EQ(ledger.host, 1 + 1 + 1);         // 4 to 5, 7 to 8, 9 to 10
  EXPECT_DOUBLE_EQ(ledger.total(), 10);
}

TEST(NamesOfKernels, AreThoseOfKernelsWithoutParameters) {
  EXPECT_EQ(kernel_name("_Z5scalefPKfPf"), "scale");
  EXPECT_EQ(kernel_name("_ZN6minima4cuda3runIfEEvPT_i"), "minima::cuda::run<float>");
  EXPECT_EQ(kernel_name("ampere_sgemm_128x64_tn"), "ampere_sgemm_128x64_tn");
}

/// Copies of a few bytes are predicted to take none.
TEST(LedgerOfGpus, WorkThatTakesNoTimeEndsAGapToo) {
  Recording recording;
  recording.seconds = 6;
  recording.spans = {span(SpanKind::wait, 1, 4, -1, Wait::from_device), span(SpanKind::op, 4, 6)};
  recording.gpu.work = {work(0, 1), work(4, 4), work(6, 6)};
  const GpuTimes ledger = ledger_of(recording, {GpuUse::compute, GpuUse::transfers, GpuUse::compute});
  EXPECT_DOUBLE_EQ(ledger.synchronization, 3 + 2);
  EXPECT_DOUBLE_EQ(ledger.launch, 0);
}

TEST(LedgerOfGpus, AGapBeforeWorkThatIsQueuedIsTheLaunchs) {
  Recording recording;
  recording.seconds = 6;
  recording.spans = {span(SpanKind::op, 0, 1), span(SpanKind::wait, 1, 6)};
  recording.gpu.work = {work(1, 2), work(3, 4), work(5, 6)};
  for (GpuWork& queued : recording.gpu.work) queued.launched = 0.5;
  recording.gpu.work[2].launched = 4.5;
  const GpuTimes ledger = ledger_of(recording, {GpuUse::compute, GpuUse::compute, GpuUse::compute});
  EXPECT_DOUBLE_EQ(ledger.compute, 3);
  EXPECT_DOUBLE_EQ(ledger.launch, 1 + 1);       // 0 to 1, 2 to 3
  EXPECT_DOUBLE_EQ(ledger.synchronization, 1);  // 4 to 5
}

TEST(LedgerOfGpus, CountsOverlappingWorkOnce) {
  Recording recording;
  recording.seconds = 6;
  recording.gpu.work = {work(0, 4), work(1, 3, 8), work(2, 5, 9)};
  const GpuTimes ledger = ledger_of(recording, {GpuUse::memory, GpuUse::compute, GpuUse::transfers});
  EXPECT_DOUBLE_EQ(ledger.compute, 2);
  EXPECT_DOUBLE_EQ(ledger.memory, 2);
  EXPECT_DOUBLE_EQ(ledger.transfers, 1);
  EXPECT_DOUBLE_EQ(ledger.host, 1);
}

TEST(LedgerOfGpus, LeavesOutWhatRunsAfterTheLastStep) {
  Recording recording;
  recording.seconds = 2;
  recording.spans = {span(SpanKind::wait, 1, 2, -1, Wait::ranks)};
  recording.gpu.work = {work(-1, 0.5), work(1.5, 9)};
  const GpuTimes ledger = ledger_of(recording, {GpuUse::communication, GpuUse::compute});
  EXPECT_DOUBLE_EQ(ledger.communication, 0.5 + 0.5);
  EXPECT_DOUBLE_EQ(ledger.compute, 0.5);
  EXPECT_DOUBLE_EQ(ledger.total(), 2);
}

}  // namespace
}  // namespace minima::profiler::gpu_ledger_test
