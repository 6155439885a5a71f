#include <minima/tensor/memory/blocks/memory_stats.h>

namespace minima {

namespace detail {
constinit thread_local Purpose current_purpose = Purpose::activations;
}

const char* name(Purpose purpose) {
  constexpr const char* names[purpose_count] = {"activations", "parameters",    "gradients", "optimizer state",
                                                "temporaries", "communication", "data set"};
  return names[static_cast<int>(purpose)];
}

PurposeGuard::PurposeGuard(Purpose purpose) : scope_(detail::current_purpose, purpose) {}

}  // namespace minima
