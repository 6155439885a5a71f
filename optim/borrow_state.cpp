#include <minima/optim/borrow_state.h>

#include <minima/ops/copy/copy.h>
#include <minima/tensor/tensor.h>

namespace minima::optim {

namespace {
thread_local bool is_borrowing = false;
}

BorrowState::BorrowState() : before_(is_borrowing) { is_borrowing = true; }
BorrowState::~BorrowState() { is_borrowing = before_; }

Tensor detail::for_state(const Tensor& x) { return is_borrowing ? x.detach() : clone(x); }

}  // namespace minima::optim
