#pragma once

// Annotations that C++20 has no other spelling for.

#if defined(_WIN32)
#error "minima supports Linux and other ELF platforms only"
#endif

/// Marks what a shared build exports; everything else is hidden.
#define MINIMA_API __attribute__((visibility("default")))

/// A function that the CPU and the CUDA compiler both build from one source.
#if defined(__CUDACC__)
#define MINIMA_HD __host__ __device__
#else
#define MINIMA_HD
#endif
