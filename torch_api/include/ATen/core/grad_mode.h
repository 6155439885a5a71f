#pragma once

#include <c10/core/GradMode.h>

namespace at {
using c10::AutoFwGradMode;
using c10::AutoGradMode;
using c10::GradMode;
using c10::NoGradGuard;
}  // namespace at
