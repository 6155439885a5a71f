#include <minima/autograd/backward.h>

#include <minima/autograd/engine.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/memory/cpu/with_memory.h>
#include <minima/tensor/tensor.h>

#include <new>
#include <utility>
#include <vector>

namespace minima {

namespace {

/// Nesting depth of this thread's passes, and the calls to make when the outermost one ends.
struct Nest {
  int depth = 0;
  std::vector<Function<void(bool)>> waiting;

  void end(bool completed) {
    if (--depth > 0) return;
    for (const auto& call : std::exchange(waiting, {})) call(completed);
  }
};
thread_local Nest nest;

std::vector<Tensor> run(const Pass::Request& request) {
  try {
    return Pass(request).run();
  } catch (const std::bad_alloc&) {
    detail::throw_out_of_memory("backward");
  }
}

}  // namespace

void after_backward(Function<void(bool)> call) {
  if (nest.depth == 0) call(true);
  else nest.waiting.push_back(std::move(call));
}

void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients, BackwardOptions options) {
  const Pass::Request request{.outputs = outputs, .gradients = gradients, .retain_graph = options.retain_graph};
  ++nest.depth;
  try {
    run(request);
  } catch (...) {
    try {
      nest.end(false);
    } catch (...) {  // the first exception is the informative one
    }
    throw;
  }
  nest.end(true);
}

std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& gradients, GradOptions options) {
  const Pass::Request request{.outputs = outputs,
                              .gradients = gradients,
                              .inputs = &inputs,
                              .retain_graph = options.retain_graph,
                              .create_graph = options.create_graph,
                              .allow_unused = options.allow_unused};
  return run(request);
}

}  // namespace minima
