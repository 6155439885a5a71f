// minima relies on this part of CUPTI. It is compiled against simulated/include, and against the toolkit's header where
// it is.

#if __has_include(<cupti.h>)
#include <cupti.h>

#include <cstddef>
#include <type_traits>

#define EXPECT_VALUE(name, value) static_assert(static_cast<int>(name) == (value), #name)
#define EXPECT_FUNCTION(name, ...) static_assert(std::is_same_v<decltype(name), __VA_ARGS__>, #name)
#define EXPECT_OFFSET(record, field, bytes) static_assert(offsetof(record, field) == (bytes), #record "::" #field)

EXPECT_VALUE(CUPTI_SUCCESS, 0);
EXPECT_VALUE(CUPTI_ERROR_INVALID_PARAMETER, 1);
EXPECT_VALUE(CUPTI_ERROR_INVALID_OPERATION, 7);
EXPECT_VALUE(CUPTI_ERROR_MAX_LIMIT_REACHED, 12);
EXPECT_VALUE(CUPTI_ERROR_NOT_INITIALIZED, 15);
EXPECT_VALUE(CUPTI_ERROR_QUEUE_EMPTY, 18);
EXPECT_VALUE(CUPTI_ERROR_INVALID_KIND, 21);
EXPECT_VALUE(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, 35);
EXPECT_VALUE(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39);
EXPECT_VALUE(CUPTI_ERROR_UNKNOWN, 999);
EXPECT_VALUE(CUPTI_ACTIVITY_KIND_MEMCPY, 1);
EXPECT_VALUE(CUPTI_ACTIVITY_KIND_MEMSET, 2);
EXPECT_VALUE(CUPTI_ACTIVITY_KIND_KERNEL, 3);
EXPECT_VALUE(CUPTI_ACTIVITY_KIND_DRIVER, 4);
EXPECT_VALUE(CUPTI_ACTIVITY_KIND_RUNTIME, 5);
EXPECT_VALUE(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 10);
EXPECT_VALUE(CUPTI_ACTIVITY_KIND_MEMCPY2, 22);
EXPECT_VALUE(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, 39);
EXPECT_VALUE(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 1);
EXPECT_VALUE(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, 2);
EXPECT_VALUE(CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, 8);
EXPECT_VALUE(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, 1);
EXPECT_VALUE(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 3);
EXPECT_VALUE(CUPTI_CB_DOMAIN_RESOURCE, 3);
EXPECT_VALUE(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, 13);
EXPECT_VALUE(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, 20);

EXPECT_OFFSET(CUpti_ActivityKernel10, start, 16);
EXPECT_OFFSET(CUpti_ActivityKernel10, end, 24);
EXPECT_OFFSET(CUpti_ActivityKernel10, deviceId, 40);
EXPECT_OFFSET(CUpti_ActivityKernel10, streamId, 48);
EXPECT_OFFSET(CUpti_ActivityKernel10, correlationId, 92);
EXPECT_OFFSET(CUpti_ActivityKernel10, name, 104);
EXPECT_OFFSET(CUpti_ActivityKernel10, graphNodeId, 144);
static_assert(sizeof(CUpti_ActivityKernel10) == 216);
EXPECT_OFFSET(CUpti_ActivityMemcpy6, copyKind, 4);
EXPECT_OFFSET(CUpti_ActivityMemcpy6, bytes, 8);
EXPECT_OFFSET(CUpti_ActivityMemcpy6, start, 16);
EXPECT_OFFSET(CUpti_ActivityMemcpy6, deviceId, 32);
EXPECT_OFFSET(CUpti_ActivityMemcpy6, correlationId, 44);
EXPECT_OFFSET(CUpti_ActivityMemcpy6, graphNodeId, 64);
static_assert(sizeof(CUpti_ActivityMemcpy6) == 96);
EXPECT_OFFSET(CUpti_ActivityMemcpyPtoP4, correlationId, 60);
EXPECT_OFFSET(CUpti_ActivityMemcpyPtoP4, graphNodeId, 72);
EXPECT_OFFSET(CUpti_ActivityMemset4, bytes, 8);
EXPECT_OFFSET(CUpti_ActivityMemset4, start, 16);
EXPECT_OFFSET(CUpti_ActivityMemset4, deviceId, 32);
EXPECT_OFFSET(CUpti_ActivityMemset4, correlationId, 44);
EXPECT_OFFSET(CUpti_ActivityMemset4, graphNodeId, 64);
EXPECT_OFFSET(CUpti_ActivityAPI, start, 8);
EXPECT_OFFSET(CUpti_ActivityAPI, correlationId, 32);
static_assert(sizeof(CUpti_ActivityAPI) == 40);
EXPECT_OFFSET(CUpti_ActivityExternalCorrelation, externalId, 8);
EXPECT_OFFSET(CUpti_ActivityExternalCorrelation, correlationId, 16);
static_assert(sizeof(CUpti_ActivityExternalCorrelation) == 24);
EXPECT_OFFSET(CUpti_ResourceData, resourceDescriptor, 16);
EXPECT_OFFSET(CUpti_GraphData, node, 16);
EXPECT_OFFSET(CUpti_GraphData, originalNode, 24);

EXPECT_FUNCTION(cuptiGetVersion, CUptiResult(uint32_t*));
EXPECT_FUNCTION(cuptiGetResultString, CUptiResult(CUptiResult, const char**));
EXPECT_FUNCTION(cuptiGetTimestamp, CUptiResult(uint64_t*));
EXPECT_FUNCTION(cuptiActivityEnable, CUptiResult(CUpti_ActivityKind));
EXPECT_FUNCTION(cuptiActivityDisable, CUptiResult(CUpti_ActivityKind));
EXPECT_FUNCTION(cuptiActivityRegisterCallbacks,
                CUptiResult(CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc));
EXPECT_FUNCTION(cuptiActivityGetNextRecord, CUptiResult(uint8_t*, size_t, CUpti_Activity**));
EXPECT_FUNCTION(cuptiActivityFlushAll, CUptiResult(uint32_t));
EXPECT_FUNCTION(cuptiActivityPushExternalCorrelationId, CUptiResult(CUpti_ExternalCorrelationKind, uint64_t));
EXPECT_FUNCTION(cuptiActivityPopExternalCorrelationId, CUptiResult(CUpti_ExternalCorrelationKind, uint64_t*));
EXPECT_FUNCTION(cuptiSubscribe, CUptiResult(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*));
EXPECT_FUNCTION(cuptiUnsubscribe, CUptiResult(CUpti_SubscriberHandle));
EXPECT_FUNCTION(cuptiEnableCallback,
                CUptiResult(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId));
EXPECT_FUNCTION(cuptiGetGraphNodeId, CUptiResult(CUgraphNode, uint64_t*));
static_assert(std::is_same_v<CUpti_BuffersCallbackRequestFunc, void (*)(uint8_t**, size_t*, size_t*)>);
static_assert(
    std::is_same_v<CUpti_BuffersCallbackCompleteFunc, void (*)(CUcontext, uint32_t, uint8_t*, size_t, size_t)>);
static_assert(std::is_same_v<CUpti_CallbackFunc, void (*)(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*)>);
#endif
