#pragma once

#include "simulated/machine/cost.h"
#include "simulated/machine/gpu_kind.h"

#include <string>

namespace simulated {

/// Predicts how long the work would take on the GPU, from the first instruction to the last, in seconds.
///
/// Memory: the bytes at the bandwidth that a copy reaches; the sectors that warps ask for at that of the L2 cache; or
/// less where too few loads are in flight (Little's law: resident threads × bytes in flight per thread / latency).
/// Arithmetic of libraries: the operations at the rate that large products reach, times the share of the last wave of
/// blocks that has work (tile quantisation). Arithmetic of own kernels: each of a multiprocessor's four schedulers
/// issues an instruction of a warp per clock. The largest of these counts. Copies between devices and from the host
/// take their bytes over the link. What it leaves out: caches, clocks that vary, work of several streams that shares
/// the GPU.
double seconds_of(const GpuKind& gpu, const Cost& cost);

/// The least that the same bytes and operations of libraries could take: the bytes at the bandwidth that a copy
/// reaches, the operations at the rate of large products, whichever is longer.
double roof_seconds_of(const GpuKind& gpu, const Cost& cost);

/// The number of blocks of a kernel that a multiprocessor holds at once, limited by its threads, blocks, registers and
/// shared memory.
int resident_blocks(const GpuKind& gpu, const Cost& cost);

/// The number of waves of blocks, rounded up, and the share of their places that is filled; 1 and 1 where blocks are
/// not known.
struct Waves {
  double count = 1;
  double filled = 1;
};
/// The waves that the work's blocks take on the GPU.
Waves waves_of(const GpuKind& gpu, const Cost& cost);

/// The seconds that the host is busy with a call: assumed 2 µs for a launch, 3 µs for a library's, 6 µs for a
/// graph, and 0.3 µs for what only looks or enqueues. (Launches of 2 to 2.5 µs: NVIDIA's blog "Constant Time Launch for
/// Straight-Line CUDA Graphs".) What minima itself needs between the calls is not in it.
double host_seconds_of(const std::string& function);

}  // namespace simulated
