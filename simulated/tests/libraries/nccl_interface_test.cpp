// minima relies on this part of NCCL. It is compiled against simulated/include, and against NVIDIA's header where there
// is one.

#if __has_include(<nccl.h>)

#include <nccl.h>

#include <cstddef>
#include <type_traits>

#define EXPECT_VALUE(name, value) static_assert(static_cast<int>(name) == (value), #name)
#define EXPECT_FUNCTION(name, ...) static_assert(std::is_same_v<decltype(name), __VA_ARGS__>, #name)

EXPECT_VALUE(ncclSuccess, 0);
EXPECT_VALUE(ncclUnhandledCudaError, 1);
EXPECT_VALUE(ncclSystemError, 2);
EXPECT_VALUE(ncclInternalError, 3);
EXPECT_VALUE(ncclInvalidArgument, 4);
EXPECT_VALUE(ncclInvalidUsage, 5);
EXPECT_VALUE(ncclRemoteError, 6);
EXPECT_VALUE(ncclInProgress, 7);
EXPECT_VALUE(ncclSum, 0);
EXPECT_VALUE(ncclProd, 1);
EXPECT_VALUE(ncclMax, 2);
EXPECT_VALUE(ncclMin, 3);
EXPECT_VALUE(ncclAvg, 4);
EXPECT_VALUE(ncclInt8, 0);
EXPECT_VALUE(ncclUint8, 1);
EXPECT_VALUE(ncclInt32, 2);
EXPECT_VALUE(ncclUint32, 3);
EXPECT_VALUE(ncclInt64, 4);
EXPECT_VALUE(ncclUint64, 5);
EXPECT_VALUE(ncclFloat16, 6);
EXPECT_VALUE(ncclFloat32, 7);
EXPECT_VALUE(ncclFloat64, 8);
EXPECT_VALUE(ncclBfloat16, 9);
static_assert(sizeof(ncclUniqueId) == NCCL_UNIQUE_ID_BYTES && NCCL_UNIQUE_ID_BYTES == 128);
static_assert(NCCL_VERSION_CODE / 100 == 228);
static_assert(sizeof(ncclConfig_t) == 80 && offsetof(ncclConfig_t, blocking) == 16);
constexpr ncclConfig_t initial = NCCL_CONFIG_INITIALIZER;
static_assert(initial.size == sizeof initial && initial.magic == 0xcafebeef && initial.version == NCCL_VERSION_CODE);
static_assert(initial.blocking == NCCL_CONFIG_UNDEF_INT && initial.commName == nullptr);

EXPECT_FUNCTION(ncclGetUniqueId, ncclResult_t(ncclUniqueId*));
EXPECT_FUNCTION(ncclCommInitRankConfig, ncclResult_t(ncclComm_t*, int, ncclUniqueId, int, ncclConfig_t*));
EXPECT_FUNCTION(ncclCommGetAsyncError, ncclResult_t(ncclComm_t, ncclResult_t*));
EXPECT_FUNCTION(ncclCommFinalize, ncclResult_t(ncclComm_t));
EXPECT_FUNCTION(ncclCommDestroy, ncclResult_t(ncclComm_t));
EXPECT_FUNCTION(ncclCommAbort, ncclResult_t(ncclComm_t));
EXPECT_FUNCTION(ncclGetErrorString, const char*(ncclResult_t));
EXPECT_FUNCTION(ncclGetLastError, const char*(ncclComm_t));
EXPECT_FUNCTION(ncclGroupStart, ncclResult_t());
EXPECT_FUNCTION(ncclGroupEnd, ncclResult_t());
EXPECT_FUNCTION(ncclAllReduce,
                ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t));
EXPECT_FUNCTION(ncclBroadcast,
                ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t));
EXPECT_FUNCTION(ncclAllGather, ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, ncclComm_t, cudaStream_t));
EXPECT_FUNCTION(ncclReduce, ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, ncclRedOp_t, int, ncclComm_t,
                                         cudaStream_t));
EXPECT_FUNCTION(ncclReduceScatter,
                ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t));
EXPECT_FUNCTION(ncclSend, ncclResult_t(const void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t));
EXPECT_FUNCTION(ncclRecv, ncclResult_t(void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t));

#endif
