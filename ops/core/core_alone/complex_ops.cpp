#include <minima/ops/core/complex_ops.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

// In place of ops/complex/ in programs that link the library's core alone: complex tensors are refused.

namespace minima::complex_ops {

namespace {

[[noreturn]] void refuse(const char* op) {
  throw DTypeError(str(op,
                       ": this program is linked with minima's core, which computes with real numbers only; link "
                       "minima::minima for complex ones"));
}

}  // namespace

Tensor add(const Tensor&, const Tensor&) { refuse("add"); }
Tensor sub(const Tensor&, const Tensor&) { refuse("sub"); }
Tensor mul(const Tensor&, const Tensor&) { refuse("mul"); }
Tensor div(const Tensor&, const Tensor&) { refuse("div"); }
Tensor add(const Tensor&, Scalar) { refuse("add"); }
Tensor mul(const Tensor&, Scalar) { refuse("mul"); }
Tensor neg(const Tensor&) { refuse("neg"); }
Tensor abs(const Tensor&) { refuse("abs"); }
Tensor reciprocal(const Tensor&) { refuse("reciprocal"); }
Tensor square(const Tensor&) { refuse("square"); }
Tensor where(const Tensor&, const Tensor&, const Tensor&) { refuse("where"); }
Tensor eq(const Tensor&, const Tensor&) { refuse("eq"); }
Tensor ne(const Tensor&, const Tensor&) { refuse("ne"); }
void add_(const Tensor&, const Tensor&) { refuse("add_"); }
void sub_(const Tensor&, const Tensor&) { refuse("sub_"); }
void mul_(const Tensor&, const Tensor&) { refuse("mul_"); }
void div_(const Tensor&, const Tensor&) { refuse("div_"); }
void fill_(const Tensor&, Scalar) { refuse("fill_"); }
Tensor exp(const Tensor&) { refuse("exp"); }
Tensor log(const Tensor&) { refuse("log"); }
Tensor sqrt(const Tensor&) { refuse("sqrt"); }
Tensor sin(const Tensor&) { refuse("sin"); }
Tensor cos(const Tensor&) { refuse("cos"); }
Tensor tanh(const Tensor&) { refuse("tanh"); }
Tensor sigmoid(const Tensor&) { refuse("sigmoid"); }
Tensor pow(const Tensor&, const Tensor&) { refuse("pow"); }
Tensor sum(const Tensor&, const Shape&, bool) { refuse("sum"); }
Tensor mean(const Tensor&, const Shape&, bool) { refuse("mean"); }
Tensor matmul(const Tensor&, const Tensor&) { refuse("matmul"); }
Tensor number(const Tensor&, Scalar) { refuse("number"); }

}  // namespace minima::complex_ops
