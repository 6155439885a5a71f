#include <minima/distributed/cuda/nccl.h>

#if MINIMA_HAVE_NCCL

#include <minima/tensor/cuda/libraries/forward.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>

using minima::cuda::nccl_library;

MINIMA_FORWARD(nccl_library, ncclGetUniqueId, 1)
MINIMA_FORWARD(nccl_library, ncclCommInitRankConfig, 5)
MINIMA_FORWARD(nccl_library, ncclCommGetAsyncError, 2)
MINIMA_FORWARD(nccl_library, ncclCommFinalize, 1)
MINIMA_FORWARD(nccl_library, ncclCommDestroy, 1)
MINIMA_FORWARD(nccl_library, ncclCommAbort, 1)
MINIMA_FORWARD(nccl_library, ncclGetErrorString, 1)
MINIMA_FORWARD(nccl_library, ncclGetLastError, 1)
MINIMA_FORWARD(nccl_library, ncclGroupStart, 0)
MINIMA_FORWARD(nccl_library, ncclGroupEnd, 0)
MINIMA_FORWARD(nccl_library, ncclAllReduce, 7)
MINIMA_FORWARD(nccl_library, ncclBroadcast, 7)
MINIMA_FORWARD(nccl_library, ncclAllGather, 6)
MINIMA_FORWARD(nccl_library, ncclReduce, 8)
MINIMA_FORWARD(nccl_library, ncclReduceScatter, 7)
MINIMA_FORWARD(nccl_library, ncclSend, 6)
MINIMA_FORWARD(nccl_library, ncclRecv, 6)

#endif
