#include <minima/optim/averaging/average_rule.h>
#include <minima/optim/elementwise/adadelta_rule.h>
#include <minima/optim/elementwise/adagrad_rule.h>
#include <minima/optim/elementwise/adam_rule.h>
#include <minima/optim/elementwise/adamax_rule.h>
#include <minima/optim/elementwise/asgd_rule.h>
#include <minima/optim/elementwise/lion_rule.h>
#include <minima/optim/elementwise/nadam_rule.h>
#include <minima/optim/elementwise/radam_rule.h>
#include <minima/optim/elementwise/rmsprop_rule.h>
#include <minima/optim/elementwise/rprop_rule.h>
#include <minima/optim/elementwise/sgd_rule.h>
#include <minima/optim/elementwise/sign_sgd_rule.h>
#include <minima/optim/structured/lamb_rule.h>
#include <minima/optim/update/multi_tensor.cuh>

// The kernels of every rule.

namespace minima::optim::detail {

template void update_on_cuda<rules::Adadelta>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::Adagrad>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::Adam<false>>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::Adam<true>>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::Adamax>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::ASGD>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::Average>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::LambDirection>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::Lion>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::Momentum>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::NAdam>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::PlainSGD>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::RAdam>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::RMSprop<false, false>>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::RMSprop<false, true>>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::RMSprop<true, false>>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::RMSprop<true, true>>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::Rprop>(const TensorUpdate* const*, std::size_t, StepControl);
template void update_on_cuda<rules::SignSGD>(const TensorUpdate* const*, std::size_t, StepControl);

}  // namespace minima::optim::detail
