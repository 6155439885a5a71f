#include <minima/optim/rules.h>
#include <minima/optim/multi_tensor.cuh>

namespace minima::optim::detail {

template void update_all_on_cuda<rules::Adam<false>>(const Run* const*, std::size_t, Control);
template void update_all_on_cuda<rules::Adam<true>>(const Run* const*, std::size_t, Control);

}  // namespace minima::optim::detail
