#pragma once

#include <minima/ops/product/gemm/engine.h>

namespace minima::test {

/// A hook that is set for as long as it exists.
class ScopedEngineHook : public detail::EngineHook {
 public:
  ScopedEngineHook() : previous_(detail::set_engine_hook(this)) {}
  ScopedEngineHook(const ScopedEngineHook&) = delete;
  ~ScopedEngineHook() { detail::set_engine_hook(previous_); }

  detail::Engine choose(DType dtype, detail::Engine preferred) override {
    return previous_ ? previous_->choose(dtype, preferred) : preferred;
  }
  void on_call(detail::Engine engine) override {
    if (previous_) previous_->on_call(engine);
  }

 private:
  detail::EngineHook* previous_;
};

/// Makes this thread use Eigen for every product and convolution.
class EigenOnly final : public ScopedEngineHook {
 public:
  detail::Engine choose(DType, detail::Engine) override { return detail::Engine::eigen; }
};

class EngineCalls final : public ScopedEngineHook {
 public:
  void on_call(detail::Engine engine) override {
    ++calls_[static_cast<int>(engine)];
    ScopedEngineHook::on_call(engine);
  }
  int of(detail::Engine engine) const { return calls_[static_cast<int>(engine)]; }

 private:
  int calls_[2] = {};
};

/// How many products and convolutions `f` computes with an engine, on this thread.
template <class F>
int calls_of(detail::Engine engine, F&& f) {
  const EngineCalls calls;
  f();
  return calls.of(engine);
}

}  // namespace minima::test
