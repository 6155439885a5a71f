#pragma once

#include <minima/tensor/tensor.h>

namespace minima::optim {

/// While one exists, `state_dict` of optimizers and averages on this thread gives their own tensors instead of copies:
/// for saving without memory for a second state. The next step changes such a state.
class MINIMA_API BorrowState {
 public:
  BorrowState();
  BorrowState(const BorrowState&) = delete;
  BorrowState& operator=(const BorrowState&) = delete;
  ~BorrowState();

 private:
  bool before_;
};

namespace detail {
/// A tensor for `state_dict`: a copy, or x itself while there is a BorrowState.
Tensor for_state(const Tensor& x);
}  // namespace detail

}  // namespace minima::optim
