#include <minima/tensor/cuda/libraries/forward.h>

#include <minima/tensor/cuda/libraries/lazy_library.h>

// Toolkits can be installed without CUPTI: profiles then time GPUs by events.
#if __has_include(<cupti.h>)
#include <cupti.h>

using minima::cuda::cupti_library;

MINIMA_FORWARD(cupti_library, cuptiGetVersion, 1)
MINIMA_FORWARD(cupti_library, cuptiGetResultString, 2)
MINIMA_FORWARD(cupti_library, cuptiGetTimestamp, 1)
MINIMA_FORWARD(cupti_library, cuptiActivityEnable, 1)
MINIMA_FORWARD(cupti_library, cuptiActivityDisable, 1)
MINIMA_FORWARD(cupti_library, cuptiActivityRegisterCallbacks, 2)
MINIMA_FORWARD(cupti_library, cuptiActivityGetNextRecord, 3)
MINIMA_FORWARD(cupti_library, cuptiActivityFlushAll, 1)
MINIMA_FORWARD(cupti_library, cuptiActivityPushExternalCorrelationId, 2)
MINIMA_FORWARD(cupti_library, cuptiActivityPopExternalCorrelationId, 2)
MINIMA_FORWARD(cupti_library, cuptiSubscribe, 3)
MINIMA_FORWARD(cupti_library, cuptiUnsubscribe, 1)
MINIMA_FORWARD(cupti_library, cuptiEnableCallback, 4)
MINIMA_FORWARD(cupti_library, cuptiGetGraphNodeId, 2)
#endif
