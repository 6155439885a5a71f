#include "simulated/tests/simulated.h"

namespace simulated::graphs_test {
namespace {

class SimulatedGraphs : public Simulated {};

/// Captures body(stream) and instantiates it.
template <class Body> cudaGraphExec_t captured(cudaStream_t stream, const Body& body) {
  EXPECT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  body();
  cudaGraph_t graph = nullptr;
  EXPECT_CUDA(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  EXPECT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  EXPECT_CUDA(cudaGraphDestroy(graph));
  return executable;
}

void increment_kernel(int* x) { ++*x; }

// Programming Guide, "CUDA Graphs": instantiated once, launched often, with the arguments that were captured.
TEST_F(SimulatedGraphs, AReplayIsAsynchronousWork) {
  const std::set<int> seen = outcomes([] {
    int* const host = pinned_ints(1);
    *host = 0;
    const cudaStream_t stream = new_stream();
    const cudaGraphExec_t graph = captured(stream, [&] { EXPECT_CUDA(launch(stream, increment_kernel, host)); });
    for (int i = 0; i < 3; ++i) EXPECT_CUDA(cudaGraphLaunch(graph, stream));
    const int early = *host;
    EXPECT_CUDA(cudaStreamSynchronize(stream));
    EXPECT_EQ(*host, 3);
    return early;
  });
  EXPECT_TRUE(seen.count(0));
}

// Runtime API, cudaGraphLaunch: "ordered behind both any previous work in stream and any previous launches of
// graphExec".
TEST_F(SimulatedGraphs, LaunchesOfOneGraphAreInOrderOnAnyStreams) {
  EXPECT_EQ(outcomes([] {
              int* const x = device_ints(2);
              const cudaStream_t a = new_stream(), b = new_stream();
              EXPECT_CUDA(cudaMemset(x, 0, 8));
              EXPECT_CUDA(cudaDeviceSynchronize());
              const cudaGraphExec_t graph = captured(a, [&] {
                EXPECT_CUDA(launch(a, increment_kernel, x));
                EXPECT_CUDA(launch(a, load_kernel, x + 1, x));
              });
              EXPECT_CUDA(cudaGraphLaunch(graph, a));
              EXPECT_CUDA(cudaGraphLaunch(graph, b));
              return value_of(x + 1);
            }),
            std::set<int>{2});
}

// Programming Guide, "Cross-stream Dependencies and Events": branches have no order, joins have.
TEST_F(SimulatedGraphs, BranchesRunInAnyOrder) {
  EXPECT_EQ(outcomes([] {
              int* const x = device_ints(2);
              const cudaStream_t a = new_stream(), b = new_stream();
              const cudaEvent_t fork = new_event(), join = new_event();
              const cudaGraphExec_t graph = captured(a, [&] {
                EXPECT_CUDA(cudaEventRecord(fork, a));
                EXPECT_CUDA(cudaStreamWaitEvent(b, fork));
                EXPECT_CUDA(launch(a, store_kernel, x, 1));
                EXPECT_CUDA(launch(b, store_kernel, x, 2));
                EXPECT_CUDA(cudaEventRecord(join, b));
                EXPECT_CUDA(cudaStreamWaitEvent(a, join));
                EXPECT_CUDA(launch(a, load_kernel, x + 1, x));
              });
              EXPECT_CUDA(cudaGraphLaunch(graph, a));
              const int first = value_of(x);
              EXPECT_EQ(value_of(x + 1), first) << "the join comes last";
              return first;
            }),
            (std::set<int>{1, 2}));
}

// Runtime API, cudaGraphExecDestroy: nothing says that a running graph may be destroyed.
TEST_F(SimulatedGraphs, DestroyingARunningOneIsReported) {
  std::set<std::string> texts;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    restart("1xH100", seed);
    int* const x = device_ints(1);
    const cudaStream_t stream = new_stream();
    const cudaGraphExec_t graph = captured(stream, [&] { EXPECT_CUDA(launch(stream, store_kernel, x, 1)); });
    EXPECT_CUDA(cudaGraphLaunch(graph, stream));
    texts.insert(report_of([&] { EXPECT_CUDA(cudaGraphExecDestroy(graph)); }));
    EXPECT_EQ(cudaGraphLaunch(graph, stream), cudaErrorInvalidValue);
  }
  EXPECT_TRUE(texts.count("cudaGraphExecDestroy: a launch of the graph is pending"));
}

// A replay uses the addresses of its capture: memory that is gone is an illegal address.
TEST_F(SimulatedGraphs, AReplayOnFreedMemoryFails) {
  int* const x = device_ints(1);
  const cudaStream_t stream = new_stream();
  const cudaGraphExec_t graph = captured(stream, [&] { EXPECT_CUDA(cudaMemsetAsync(x, 0, 4, stream)); });
  EXPECT_CUDA(cudaFree(x));
  static_cast<void>(cudaGraphLaunch(graph, stream));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
}

// Pinned memory in a capture is read at each replay, and so is pageable memory.
TEST_F(SimulatedGraphs, ACopyReadsItsSourceAtTheReplay) {
  int* const x = device_ints(1);
  static int source = 1;
  const cudaStream_t stream = new_stream();
  const cudaGraphExec_t graph =
      captured(stream, [&] { EXPECT_CUDA(cudaMemcpyAsync(x, &source, 4, cudaMemcpyHostToDevice, stream)); });
  source = 2;
  EXPECT_CUDA(cudaGraphLaunch(graph, stream));
  EXPECT_EQ(value_of(x), 2);
}

}  // namespace
}  // namespace simulated::graphs_test
