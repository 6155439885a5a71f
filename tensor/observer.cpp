#include <minima/tensor/observer.h>

#include <utility>

namespace minima {

namespace {
constinit thread_local Observer* current = nullptr;
}

Observer* observer() { return current; }
Observer* set_observer(Observer* observer) { return std::exchange(current, observer); }

}  // namespace minima
