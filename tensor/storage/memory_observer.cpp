#include <minima/tensor/storage/memory_observer.h>

#include <utility>

namespace minima {

constinit thread_local MemoryObserver* detail::thread_memory_observer = nullptr;

MemoryObserver* set_memory_observer(MemoryObserver* observer) {
  return std::exchange(detail::thread_memory_observer, observer);
}

}  // namespace minima
