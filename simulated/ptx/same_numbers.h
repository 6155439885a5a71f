#pragma once

#include "simulated/ptx/text/module.h"

// Changes of a statement by which what follows gets the same numbers, by arithmetic.

namespace simulated::ptx {

/// `setp.lt.f32 p, a, b; selp.f32 c, a, b, p` to `setp.le.f32 …`, with the selected numbers in either order. Zeros may
/// differ in their signs.
bool breaks_a_tie(const Body& body, const Statement& statement, const Statement& mutant);

/// `sub.f32 d, a, b; mul.f32 s, d, d` to `sub.f32 d, b, a`.
bool is_squared(const Body& body, const Statement& statement, const Statement& mutant);

/// `selp.u16 r, 1, 0, p` to `selp.u16 r, 2, 0, p`, where of r is only asked whether it is 0.
bool is_another_truth(const Body& body, const Statement& statement, const Statement& mutant);

}  // namespace simulated::ptx
