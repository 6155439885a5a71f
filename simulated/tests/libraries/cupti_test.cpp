#include "simulated/tests/simulated.h"

#include <cupti.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

// CUPTI documentation, "CUPTI Activity API" and "CUPTI Callback API".

namespace simulated::cupti_test {
namespace {

/// The contents of the buffers, in the order of the records.
std::vector<std::string> texts;
std::vector<std::pair<std::uint64_t, std::uint64_t>> times;
std::size_t buffer_bytes = 1 << 16;

void request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most) {
  *buffer = static_cast<std::uint8_t*>(std::malloc(buffer_bytes));
  *bytes = buffer_bytes;
  *most = 0;
}

void complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t used) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, used, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel10*>(record);
      texts.push_back(kernel.name + std::string(" ") + std::to_string(std::uint32_t{kernel.correlationId}));
      times.emplace_back(kernel.start, kernel.end);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
      texts.push_back("copy " + std::to_string(copy.copyKind) + " of " + std::to_string(std::uint64_t{copy.bytes}));
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      const auto& fill = *reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      texts.push_back("fill of " + std::to_string(std::uint64_t{fill.bytes}));
    } else if (record->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
      const auto& outer = *reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
      texts.push_back(std::to_string(std::uint32_t{outer.correlationId}) + " in " +
                      std::to_string(std::uint64_t{outer.externalId}));
    } else {
      texts.push_back("call");
    }
  }
  std::free(buffer);
}

class SimulatedCupti : public Simulated {
 protected:
  void SetUp() override {
    Simulated::SetUp();
    texts.clear();
    times.clear();
    buffer_bytes = 1 << 16;
    EXPECT_EQ(cuptiActivityRegisterCallbacks(request, complete), CUPTI_SUCCESS);
  }
  using Texts = std::vector<std::string>;
};

TEST_F(SimulatedCupti, RecordsWorkAfterItsCallAndTheIdOfWhoCalled) {
  int* const x = device_ints(1000);
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
        CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET})
    EXPECT_EQ(cuptiActivityEnable(kind), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 41), CUPTI_SUCCESS);
  EXPECT_CUDA(launch(nullptr, store_kernel, x, 7));
  std::uint64_t last = 0;
  EXPECT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last), CUPTI_SUCCESS);
  EXPECT_EQ(last, 41u);
  EXPECT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last),
            CUPTI_ERROR_QUEUE_EMPTY);
  EXPECT_CUDA(cudaMemsetAsync(x, 0, 80, nullptr));
  EXPECT_EQ(value_of(x), 0);
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(texts, (Texts{"1 in 41", "call", "call", "call", "test 1", "fill of 80", "copy 2 of 4"}));
  ASSERT_EQ(times.size(), 1u);
  EXPECT_LT(times[0].first, times[0].second);
  std::uint64_t now = 0;
  EXPECT_EQ(cuptiGetTimestamp(&now), CUPTI_SUCCESS);
  EXPECT_LE(times[0].second, now);
}

TEST_F(SimulatedCupti, FillsAsManyBuffersAsItsRecordsTake) {
  int* const x = device_ints(1);
  EXPECT_CUDA(launch(nullptr, store_kernel, x, 1));
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_SUCCESS);
  buffer_bytes = sizeof(CUpti_ActivityKernel10) + 8;
  for (int i = 0; i < 3; ++i) EXPECT_CUDA(launch(nullptr, store_kernel, x, i));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(texts, (Texts{"test 1", "test 2", "test 3"}));
  EXPECT_EQ(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_SUCCESS);
  EXPECT_CUDA(launch(nullptr, store_kernel, x, 1));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(texts.size(), 3u);
}

TEST_F(SimulatedCupti, NamesNodesOfGraphsAndTheirCopies) {
  using Nodes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  Nodes nodes;
  CUpti_SubscriberHandle subscriber = nullptr, second = nullptr;
  const CUpti_CallbackFunc on_callback = [](void* to, CUpti_CallbackDomain, CUpti_CallbackId id, const void* data) {
    const auto& graph =
        *static_cast<const CUpti_GraphData*>(static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
    std::uint64_t node = 0, original = 0;
    EXPECT_EQ(cuptiGetGraphNodeId(graph.node, &node), CUPTI_SUCCESS);
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
      EXPECT_EQ(cuptiGetGraphNodeId(graph.originalNode, &original), CUPTI_SUCCESS);
    }
    static_cast<Nodes*>(to)->emplace_back(original, node);
  };
  EXPECT_EQ(cuptiSubscribe(&subscriber, on_callback, &nodes), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiSubscribe(&second, on_callback, &nodes), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  for (const CUpti_CallbackId id : {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED})
    EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_SUCCESS);

  int* const x = device_ints(1);
  cudaStream_t const stream = new_stream();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  EXPECT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  EXPECT_CUDA(launch(stream, store_kernel, x, 1));
  EXPECT_CUDA(launch(stream, store_kernel, x, 2));
  EXPECT_CUDA(cudaStreamEndCapture(stream, &graph));
  EXPECT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  EXPECT_EQ(nodes, (Nodes{{0, 1}, {0, 2}, {1, 3}, {2, 4}}));
  EXPECT_CUDA(cudaGraphLaunch(executable, stream));
  EXPECT_CUDA(cudaGraphLaunch(executable, stream));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(texts, (Texts{"test 1", "test 1", "test 2", "test 2"})) << "work of a launch shares its correlation id";
  EXPECT_EQ(cuptiUnsubscribe(subscriber), CUPTI_SUCCESS);
}

TEST_F(SimulatedCupti, StopsAtWhatItDoesNotModel) {
  EXPECT_DEATH(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL), "cuptiActivityEnable of kind 3 is not modelled");
}

}  // namespace
}  // namespace simulated::cupti_test
