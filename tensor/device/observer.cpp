#include <minima/tensor/device/observer.h>

#include <utility>

namespace minima {

constinit thread_local Observer* detail::thread_observer = nullptr;

Observer* set_observer(Observer* observer) { return std::exchange(detail::thread_observer, observer); }

}  // namespace minima
