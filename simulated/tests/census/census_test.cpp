#include "simulated/census/census.h"

#include "simulated/machine/gpu_kind.h"
#include "simulated/machine/kernel_counts.h"

#include "simulated/tests/simulated.h"

#include <cuda.h>

#include <fstream>
#include <sstream>

namespace simulated::census_test {
namespace {

class SimulatedCensus : public Simulated {};

std::int64_t count_of(const Census& census, const std::string& function, const std::string& op) {
  for (const CallCount& call : census.calls())
    if (call.function == function && call.label.op == op) return call.count;
  return 0;
}

TEST_F(SimulatedCensus, KnowsWhoAskedForAKernelAndWhatItMoves) {
  int* const x = device_ints(1 << 20);
  int* const y = device_ints(1000);
  const Census census;
  const Label before = set_label({.op = "relu", .module = "blocks.3", .backward = true});
  EXPECT_CUDA(launch(nullptr, load_kernel, y, x));
  EXPECT_EQ(set_label(before).op, "relu");
  const std::vector<Piece> pieces = census.pieces();
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].name, "kernel test");
  EXPECT_EQ(pieces[0].label.op, "relu");
  EXPECT_EQ(pieces[0].label.module, "blocks.3");
  EXPECT_TRUE(pieces[0].label.backward);
  EXPECT_EQ(pieces[0].cost.kind, WorkKind::kernel);
  EXPECT_EQ(pieces[0].cost.bytes_read, 4 << 20);
  EXPECT_EQ(pieces[0].cost.bytes_written, 4000);
  EXPECT_EQ(pieces[0].cost.blocks, 1);
  EXPECT_EQ(count_of(census, "cudaLaunchKernel", "relu"), 1);
}

TEST_F(SimulatedCensus, CountsAnOperandOnceFromItsFirstUsedByte) {
  int* const x = device_ints(1000);
  const Census census;
  EXPECT_CUDA(launch(nullptr, load_kernel, x + 500, x + 250));
  EXPECT_EQ(census.pieces().at(0).cost.bytes(), 3000);
}

struct Slots {
  int *parameter, *average;
};
void update_in_place(Slots slots) { *slots.parameter = *slots.average; }

TEST_F(SimulatedCensus, CountsWhatAKernelReadsAndWritesInPlaceTwice) {
  std::istringstream counts("update_in_place 16 2 1.5 40 0 1 0.75 2");
  add_kernel_counts(counts);
  const Slots slots{device_ints(1000), device_ints(3000)};
  const Census census;
  EXPECT_CUDA(launch(nullptr, update_in_place, slots));
  const Cost cost = census.pieces().at(0).cost;
  EXPECT_EQ(cost.bytes_read, 16000) << "structures do not say what is written";
  EXPECT_EQ(cost.bytes_written, 12000);
  EXPECT_EQ(cost.issue_slots, 56000);
  EXPECT_EQ(cost.in_flight, 32);
  EXPECT_EQ(cost.registers, 40);
  EXPECT_TRUE(cost.counted);
}

TEST_F(SimulatedCensus, AsksTheProgramHowLargeItsAllocationsAre) {
  int* const x = device_ints(1000);
  set_extents([&](const void*) { return Extent{x, 40}; });
  const Census census;
  EXPECT_CUDA(launch(nullptr, store_kernel, x, 1));
  set_extents(nullptr);
  EXPECT_EQ(census.pieces().at(0).cost.bytes_written, 40);
}

TEST_F(SimulatedCensus, KeepsTheLabelsOfACaptureInEachReplay) {
  int* const x = device_ints(1);
  const cudaStream_t stream = new_stream();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  EXPECT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  set_label({.op = "gelu"});
  EXPECT_CUDA(launch(stream, store_kernel, x, 1));
  set_label({.op = "linear"});
  EXPECT_CUDA(launch(stream, store_kernel, x, 2));
  set_label({});
  EXPECT_CUDA(cudaStreamEndCapture(stream, &graph));
  EXPECT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  const Census census;
  EXPECT_CUDA(cudaGraphLaunch(executable, stream));
  EXPECT_CUDA(cudaGraphLaunch(executable, stream));
  std::string ops;
  for (const Piece& piece : census.pieces()) ops += piece.label.op + " ";
  EXPECT_EQ(ops, "gelu linear gelu linear ");
  EXPECT_EQ(count_of(census, "cudaLaunchKernel", ""), 0) << "a replay is one call";
  EXPECT_EQ(count_of(census, "cudaGraphLaunch", ""), 2);
}

TEST_F(SimulatedCensus, PutsAStreamsWorkIntoOneTimeline) {
  int* const x = device_ints(1 << 20);
  const Census census;
  for (int i = 0; i < 3; ++i) EXPECT_CUDA(cudaMemsetAsync(x, 0, 4 << 20, nullptr));
  const std::vector<Piece> pieces = census.pieces();
  ASSERT_EQ(pieces.size(), 3u);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_GE(pieces[i].begin, pieces[i - 1].end + 0.9 * h100.kernel_gap);
    EXPECT_DOUBLE_EQ(pieces[i].end - pieces[i].begin, (4 << 20) / (h100.achieved_bandwidth * h100.bandwidth));
  }
}

TEST_F(SimulatedCensus, TellsWaitsAllocationsAndPageMovesApart) {
  const Census census;
  const std::vector<char> large(1 << 20);
  int* const x = device_ints(1 << 18);
  EXPECT_CUDA(cudaMemcpyAsync(x, large.data(), large.size(), cudaMemcpyHostToDevice, nullptr));
  EXPECT_CUDA(cudaStreamSynchronize(nullptr));
  int waits = 0, allocations = 0;
  for (const CallCount& call : census.calls()) {
    if (is_synchronisation(call.function)) waits += static_cast<int>(call.count);
    if (is_allocation(call.function)) allocations += static_cast<int>(call.count);
    EXPECT_FALSE(is_page_move(call.function));
  }
  EXPECT_EQ(waits, 2) << "a copy of 1 MiB from pageable memory waits, too";
  EXPECT_EQ(allocations, 1);
  EXPECT_TRUE(is_page_move("cuMemMap"));
}

TEST_F(SimulatedCensus, EndsWithItsObject) {
  int* const x = device_ints(1);
  { const Census census; }
  EXPECT_CUDA(launch(nullptr, store_kernel, x, 1));
  const Census census;
  EXPECT_TRUE(census.pieces().empty());
}

class DryRuns : public Simulated {
 protected:
  void SetUp() override {
    restart("1xH200", 1);
    set_dry(true);
  }
  void TearDown() override { set_dry(false); }
};

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

TEST_F(DryRuns, CommitNoMemory) {
  const std::size_t before = resident_bytes();
  void* memory = nullptr;
  const std::size_t bytes = std::size_t{100} << 30;
  EXPECT_CUDA(cudaMalloc(&memory, bytes));
  EXPECT_CUDA(cudaMemsetAsync(memory, 0, bytes, nullptr));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_LT(resident_bytes(), before + (64 << 20));
}

TEST_F(DryRuns, ComputeNothingAndTakeTheSameTime) {
  int* const x = device_ints(1);
  *x = 5;
  const Census census;
  EXPECT_CUDA(launch(nullptr, store_kernel, x, 7));
  const double dry = census.pieces().at(0).end - census.pieces().at(0).begin;
  EXPECT_EQ(*x, 5);
  set_dry(false);
  EXPECT_CUDA(launch(nullptr, store_kernel, x, 7));
  EXPECT_NEAR(census.pieces().at(1).end - census.pieces().at(1).begin, dry, 1e-15);
  EXPECT_EQ(*x, 7);
}

TEST_F(DryRuns, ReadOnlyValuesThatWereAgreedOn) {
  int* const x = device_ints(2);
  const int agreed = 42;
  set_dry_value(x, &agreed, sizeof agreed);
  int value = 0;
  EXPECT_CUDA(cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT_EQ(value, 42);
  EXPECT_EQ(cudaMemcpy(&value, x + 1, sizeof value, cudaMemcpyDeviceToHost), cudaErrorNotSupported);
  std::int64_t wider = 0;
  EXPECT_EQ(cudaMemcpy(&wider, x, sizeof wider, cudaMemcpyDeviceToHost), cudaErrorNotSupported);
}

}  // namespace
}  // namespace simulated::census_test
