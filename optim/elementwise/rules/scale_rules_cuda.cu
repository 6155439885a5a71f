#include <minima/optim/elementwise/rules/scale_rules.h>
#include <minima/optim/multi_tensor.cuh>

namespace minima::optim::detail {

template void update_all_on_cuda<rules::Adagrad>(const Run* const*, std::size_t, Control);
template void update_all_on_cuda<rules::Adadelta>(const Run* const*, std::size_t, Control);
template void update_all_on_cuda<rules::RmsProp<false, false>>(const Run* const*, std::size_t, Control);
template void update_all_on_cuda<rules::RmsProp<true, false>>(const Run* const*, std::size_t, Control);
template void update_all_on_cuda<rules::RmsProp<false, true>>(const Run* const*, std::size_t, Control);
template void update_all_on_cuda<rules::RmsProp<true, true>>(const Run* const*, std::size_t, Control);
template void update_all_on_cuda<rules::Rprop>(const Run* const*, std::size_t, Control);
template void update_all_on_cuda<rules::Lion>(const Run* const*, std::size_t, Control);

}  // namespace minima::optim::detail
