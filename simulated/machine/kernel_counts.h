#pragma once

#include <istream>
#include <string>

namespace simulated {

/// These counts say what the code of an own kernel does, in what the compiler made of it. Its speed follows from these
/// and from the grid; there is no factor to enter by hand.
struct KernelCounts {
  // --- of the machine code for sm_90 ---
  double load_bytes = 4;       ///< of one load of a thread
  double loads_in_flight = 1;  ///< loads that a thread issues before it needs the first
  int registers = 0;           ///< of a thread; 0: not known
  int shared_bytes = 0;        ///< of a block, static

  // --- by running it ---
  double read = 1;          ///< different bytes read for each byte of its operands
  double written = 0;       ///< the same of bytes written; both where it changes them in place
  double sectors = 1;       ///< bytes of the 32-byte sectors that its warps ask for, for each of these bytes
  double issue_slots = 0;   ///< 32 × instructions of warps per byte moved
  double thread_bytes = 0;  ///< moved by a thread whose part is limited: without loops, or of few rounds; 0: it is not

  bool counted = false;  ///< false for an assumption
};

/// The name of a kernel's instance in tables of counts: "softmax_packed_kernel<BFloat16>" of "void
/// minima::detail::softmax_packed_kernel<minima::BFloat16>(…)".
std::string key_of_kernel(const std::string& signature);

/// The counts of an instance by its key: its own row, or else that of its kernel, or else the assumption of one load of
/// 4 bytes in flight per thread, without waste. That is what most loops compile to.
KernelCounts counts_of(const std::string& key);

/// Adds counts, an instance or a kernel a line (all instances whose key starts so; the longest match wins):
/// "KEY LOAD_BYTES LOADS_IN_FLIGHT SECTORS [REGISTERS SHARED_BYTES READ WRITTEN ISSUE_SLOTS THREAD_BYTES]". `#` starts
/// a comment. Throws std::invalid_argument that names the line.
void add_kernel_counts(std::istream& text);

/// Forgets all counts, those of the library, too: every kernel is as assumed.
void clear_kernel_counts();

}  // namespace simulated
