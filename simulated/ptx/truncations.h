#pragma once

#include "simulated/ptx/text/module.h"

#include <cstddef>

// detail::truncated (tensor/base/convert.h), which turns a floating number into an integer, is compiled like this:
//
//   setp.ge.f32 p, x, lowest;  setp.lt.f32 q, x, beyond;  and.pred r, p, q;
//   selp.f32 inside, x, 0, r;  cvt.rzi.s32.f32 i, inside;
//   setp.ge.f32 s, x, beyond;  setp.lt.f32 t, x, lowest;  (or in the other order)
//   selp.b32 j, -2147483648, i, t;  selp.b32 k, 2147483647, j, s;

namespace simulated::ptx {

/// Whether `mutant` in place of statement `at` changes only what is converted of a number beyond the ends, which
/// saturates, and is replaced by the end afterwards.
bool is_overruled_truncation(const Body& body, std::size_t at, const Statement& mutant);

}  // namespace simulated::ptx
