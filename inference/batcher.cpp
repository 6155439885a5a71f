#include <minima/inference/batcher.h>

#include <minima/inference/batcher_impl.h>
#include <minima/inference/batcher_stats.h>
#include <minima/inference/reply.h>
#include <minima/inference/request.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace minima::inference {

namespace {

void check(const BatcherOptions& options) {
  const auto expect = [](bool good, const char* option, const auto& value, const char* range) {
    if (!good) throw ValueError(str("Batcher: ", option, " must be ", range, ", got ", value));
  };
  expect(options.max_batch >= 1, "max_batch", options.max_batch, "at least 1");
  expect(options.max_queue >= options.max_batch, "max_queue", options.max_queue,
         str("at least max_batch, ", options.max_batch).c_str());
  expect(options.workers >= 1 && options.workers <= 1024, "workers", options.workers, "from 1 to 1024");
  expect(options.max_delay >= 0, "max_delay", options.max_delay, "at least 0 seconds");
  expect(options.submit_timeout >= 0, "submit_timeout", options.submit_timeout, "at least 0 seconds");
  for (const Shape& shape : options.row_shapes)
    for (const std::int64_t size : shape) expect(size >= 0, "row_shapes", size, "sizes of at least 0");
  expect(options.aging >= 0 && options.aging <= 3600, "aging", options.aging, "from 0 to 3600 seconds");
}

}  // namespace

Batcher::Batcher(Model model, const BatcherOptions& options, std::size_t inputs) {
  inference::check(options);
  impl_ = std::make_shared<Impl>(std::move(model), options, inputs);
  impl_->launch();
}

Batcher::~Batcher() {
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): without memory the program ends here
  if (!impl_->end()) static_cast<void>(new std::shared_ptr<Impl>(std::move(impl_)));  // a child's copy; see Impl::end
}

void Batcher::refuse_training() {
  throw ValueError(
      "Batcher: the model is in training mode, in which dropout and batch normalization give other answers; call "
      "model.eval() first");
}

Reply Batcher::submit(Tensors inputs, RequestOptions options) {
  return impl_->submit(std::move(inputs), std::move(options));
}

void Batcher::close(Waiting waiting) {
  const std::shared_ptr<Impl> kept = impl_;  // a callback of a cancelled request may release the batcher
  kept->close(waiting);
}

BatcherStats Batcher::stats() const { return impl_->stats(); }

void Batcher::reset_stats() { impl_->reset_stats(); }

}  // namespace minima::inference
