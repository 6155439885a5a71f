#pragma once

#include <functional>

namespace simulated {

/// Called whenever a plan is made ready, which takes cuDNN up to seconds: what may other threads do meanwhile? Empty
/// calls nothing.
void set_prepare_hook(std::function<void()> hook);

}  // namespace simulated
