#include <minima/autograd/mode.h>

namespace minima::detail {

constinit thread_local Mode thread_mode;

}  // namespace minima::detail
