#include <minima/tensor/device/observer.h>

#include <minima/tensor/device/graph_recording.h>

#include <utility>

namespace minima {

constinit thread_local Observer* detail::thread_observer = nullptr;
constinit thread_local bool detail::records_graph = false;

Observer* set_observer(Observer* observer) { return std::exchange(detail::thread_observer, observer); }

}  // namespace minima
