#include <minima/inference/reply.h>

#include <minima/inference/request.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <utility>

namespace minima::inference {

Tensor Reply::get() const {
  Tensors outputs = get_all();
  if (outputs.size() != 1)
    throw ShapeError(str("Reply::get: the model has ", outputs.size(), " outputs; call get_all()"));
  return std::move(outputs.front());
}

void Reply::check_wait() const {
  if (is_ready()) return;
  if (const auto queue = queue_.lock()) queue->check_wait();
}

bool Reply::cancel() const {
  const auto queue = queue_.lock();
  return queue && queue->withdraw(*request_);
}

}  // namespace minima::inference
