#include <minima/autograd/mode.h>

namespace minima {

namespace {
constinit thread_local Mode thread_mode;
}

Mode& detail::mode() { return thread_mode; }
bool is_grad_enabled() { return thread_mode.grad; }

}  // namespace minima
