#include <minima/tensor/device/wait_observer.h>

#include <utility>

namespace minima {

constinit thread_local WaitObserver* detail::thread_wait_observer = nullptr;

WaitObserver* set_wait_observer(WaitObserver* observer) {
  return std::exchange(detail::thread_wait_observer, observer);
}

const char* name(Wait wait) {
  switch (wait) {
    case Wait::threads: return "threads";
    case Wait::device: return "device";
    case Wait::to_device: return "to device";
    case Wait::from_device: return "from device";
    case Wait::ranks: return "ranks";
  }
  return "";
}

}  // namespace minima
