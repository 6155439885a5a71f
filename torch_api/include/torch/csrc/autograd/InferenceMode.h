#pragma once

#include <c10/core/InferenceMode.h>

namespace torch::autograd {
using c10::InferenceMode;
}
