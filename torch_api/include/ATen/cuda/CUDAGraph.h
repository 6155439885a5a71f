#pragma once

#include <ATen/cuda/CUDAContext.h>

#include <memory>

namespace at::cuda {

/// Work of the current GPU, captured between capture_begin and capture_end and launched as a whole. minima captures on
/// a stream of its own, which waits for the current one and is waited for by it. Operators that draw random numbers
/// would draw the same ones in each replay: capture_end refuses them, and minima's train::CapturedStep is what can
/// capture them.
class CUDAGraph {
 public:
  CUDAGraph();
  ~CUDAGraph();
  CUDAGraph(const CUDAGraph&) = delete;
  CUDAGraph& operator=(const CUDAGraph&) = delete;

  void capture_begin();
  void capture_end();
  void replay();
  /// Frees the graph and its memory.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace at::cuda
