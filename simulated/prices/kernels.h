#pragma once

namespace simulated::prices {

/// The calls that take most of a GPT-2 step of 64 × 1,024 tokens, in milliseconds of the GPU each: what the time model
/// says of them decides what it says of the step. `small`: of four rows of 64 tokens.
void price_kernels(bool small);

}  // namespace simulated::prices
