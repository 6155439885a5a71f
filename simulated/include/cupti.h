#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

// minima calls these parts of CUPTI: activity records of kernels, copies and fills, external correlation ids, and
// callbacks for nodes of graphs. Names, numbers and layouts are those of CUDA 13.0.

#define CUPTI_API_VERSION 130001
#define CUPTI_PACKED __attribute__((__packed__, aligned(8)))

typedef struct CUctx_st* CUcontext;
typedef struct CUstream_st* CUstream;
typedef struct CUgraph_st* CUgraph;
typedef struct CUgraphNode_st* CUgraphNode;
typedef struct CUgraphExec_st* CUgraphExec;
typedef int CUgraphNodeType;
typedef struct CUaccessPolicyWindow_st CUaccessPolicyWindow;

typedef enum {
  CUPTI_SUCCESS = 0,
  CUPTI_ERROR_INVALID_PARAMETER = 1,
  CUPTI_ERROR_INVALID_OPERATION = 7,
  CUPTI_ERROR_MAX_LIMIT_REACHED = 12,
  CUPTI_ERROR_NOT_INITIALIZED = 15,
  CUPTI_ERROR_QUEUE_EMPTY = 18,
  CUPTI_ERROR_INVALID_KIND = 21,
  CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
  CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
  CUPTI_ERROR_UNKNOWN = 999
} CUptiResult;

typedef enum {
  CUPTI_ACTIVITY_KIND_INVALID = 0,
  CUPTI_ACTIVITY_KIND_MEMCPY = 1,
  CUPTI_ACTIVITY_KIND_MEMSET = 2,
  CUPTI_ACTIVITY_KIND_KERNEL = 3,
  CUPTI_ACTIVITY_KIND_DRIVER = 4,
  CUPTI_ACTIVITY_KIND_RUNTIME = 5,
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
  CUPTI_ACTIVITY_KIND_MEMCPY2 = 22,
  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 39
} CUpti_ActivityKind;

typedef enum {
  CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN = 0,
  CUPTI_ACTIVITY_MEMCPY_KIND_HTOD = 1,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOH = 2,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOD = 8
} CUpti_ActivityMemcpyKind;

typedef enum { CUPTI_ACTIVITY_FLAG_FLUSH_FORCED = 1 } CUpti_ActivityFlag;

typedef enum { CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 = 3 } CUpti_ExternalCorrelationKind;

typedef enum { CUPTI_CB_DOMAIN_RESOURCE = 3 } CUpti_CallbackDomain;
typedef enum {
  CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED = 13,
  CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED = 20
} CUpti_CallbackIdResource;
typedef uint32_t CUpti_CallbackId;

typedef struct CUPTI_PACKED {
  CUpti_ActivityKind kind;
} CUpti_Activity;

typedef struct CUPTI_PACKED {
  CUpti_ActivityKind kind;
  uint8_t cacheConfig, sharedMemoryConfig;
  uint16_t registersPerThread;
  int partitionedGlobalCacheRequested, partitionedGlobalCacheExecuted;
  uint64_t start, end, completed;
  uint32_t deviceId, contextId, streamId;
  int32_t gridX, gridY, gridZ, blockX, blockY, blockZ;
  int32_t staticSharedMemory, dynamicSharedMemory;
  uint32_t localMemoryPerThread, localMemoryTotal, correlationId;
  int64_t gridId;
  const char* name;
  void* reserved0;
  uint64_t queued, submitted;
  uint8_t launchType, isSharedMemoryCarveoutRequested, sharedMemoryCarveoutRequested, padding;
  uint32_t sharedMemoryExecuted;
  uint64_t graphNodeId;
  int shmemLimitConfig;
  uint32_t graphId;
  CUaccessPolicyWindow* pAccessPolicyWindow;
  uint32_t channelID;
  int channelType;
  uint32_t clusterX, clusterY, clusterZ, clusterSchedulingPolicy;
  uint64_t localMemoryTotal_v2;
  uint32_t maxPotentialClusterSize, maxActiveClusters;
  uint8_t isDeviceLaunched, padding3[7];
} CUpti_ActivityKernel10;

typedef struct CUPTI_PACKED {
  CUpti_ActivityKind kind;
  uint8_t copyKind, srcKind, dstKind, flags;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, correlationId, runtimeCorrelationId, pad;
  void* reserved0;
  uint64_t graphNodeId;
  uint32_t graphId, channelID;
  int channelType;
  uint8_t isDeviceLaunched, pad2[3];
  uint64_t copyCount;
} CUpti_ActivityMemcpy6;

typedef struct CUPTI_PACKED {
  CUpti_ActivityKind kind;
  uint8_t copyKind, srcKind, dstKind, flags;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, srcDeviceId, srcContextId, dstDeviceId, dstContextId, correlationId;
  void* reserved0;
  uint64_t graphNodeId;
  uint32_t graphId, channelID;
  int channelType;
} CUpti_ActivityMemcpyPtoP4;

typedef struct CUPTI_PACKED {
  CUpti_ActivityKind kind;
  uint32_t value;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, correlationId;
  uint16_t flags, memoryKind;
  uint32_t pad;
  void* reserved0;
  uint64_t graphNodeId;
  uint32_t graphId, channelID;
  int channelType;
  uint8_t isDeviceLaunched, pad2[3];
} CUpti_ActivityMemset4;

typedef struct CUPTI_PACKED {
  CUpti_ActivityKind kind;
  CUpti_CallbackId cbid;
  uint64_t start, end;
  uint32_t processId, threadId, correlationId, returnValue;
} CUpti_ActivityAPI;

typedef struct CUPTI_PACKED {
  CUpti_ActivityKind kind;
  CUpti_ExternalCorrelationKind externalKind;
  uint64_t externalId;
  uint32_t correlationId, reserved;
} CUpti_ActivityExternalCorrelation;

typedef struct {
  CUcontext context;
  union {
    CUstream stream;
  } resourceHandle;
  void* resourceDescriptor;
} CUpti_ResourceData;

typedef struct {
  CUgraph graph, originalGraph;
  CUgraphNode node, originalNode;
  CUgraphNodeType nodeType;
  CUgraphNode dependency;
  CUgraphExec graphExec;
} CUpti_GraphData;

typedef struct CUpti_Subscriber_st* CUpti_SubscriberHandle;
typedef void (*CUpti_CallbackFunc)(void* userdata, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                                   const void* cbdata);
typedef void (*CUpti_BuffersCallbackRequestFunc)(uint8_t** buffer, size_t* size, size_t* maxNumRecords);
typedef void (*CUpti_BuffersCallbackCompleteFunc)(CUcontext context, uint32_t streamId, uint8_t* buffer, size_t size,
                                                  size_t validSize);

extern "C" {

CUptiResult cuptiGetVersion(uint32_t* version);
CUptiResult cuptiGetResultString(CUptiResult result, const char** text);
CUptiResult cuptiGetTimestamp(uint64_t* nanoseconds);
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind);
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind);
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete);
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t bytes, CUpti_Activity** record);
CUptiResult cuptiActivityFlushAll(uint32_t flags);
CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id);
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t* last);
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* userdata);
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber);
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                CUpti_CallbackId cbid);
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id);

}  // extern "C"
