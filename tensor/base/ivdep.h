#pragma once

/// Before a loop: no iteration reads what another one writes, so it may be vectorised without a check.
#if defined(__clang__)
#define MINIMA_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define MINIMA_IVDEP _Pragma("GCC ivdep")
#endif
