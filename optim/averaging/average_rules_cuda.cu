#include <minima/optim/averaging/average_rules.h>
#include <minima/optim/multi_tensor.cuh>

namespace minima::optim::detail {

template void update_all_on_cuda<rules::Average>(const Run* const*, std::size_t, Control);

}  // namespace minima::optim::detail
