#include <minima/optim/elementwise/rules/moment_rules.h>
#include <minima/optim/multi_tensor.cuh>

namespace minima::optim::detail {

template void update_all_on_cuda<rules::Adamax>(const Run* const*, std::size_t, Control);
template void update_all_on_cuda<rules::NAdam>(const Run* const*, std::size_t, Control);
template void update_all_on_cuda<rules::RAdam>(const Run* const*, std::size_t, Control);
template void update_all_on_cuda<rules::LambDirection>(const Run* const*, std::size_t, Control);

}  // namespace minima::optim::detail
