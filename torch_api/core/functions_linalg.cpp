// Written by scripts/torch_functions.py from torch_api/table.
// clang-format off
#include <core/bridge.h>

namespace at {

Tensor matmul(const Tensor& self, const Tensor& other) {
return bridge::product(bridge::native(self), bridge::native(other), minima::matmul);
}

Tensor Tensor::matmul(const Tensor& other) const {
return at::matmul(*this, other);
}

Tensor& matmul_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::matmul(self, other), out);
}

Tensor& matmul_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::matmul_out(out, self, other);
}

Tensor mm(const Tensor& self, const Tensor& mat2) {
return bridge::product(bridge::native(self), bridge::native(mat2), minima::mm);
}

Tensor Tensor::mm(const Tensor& mat2) const {
return at::mm(*this, mat2);
}

Tensor& mm_out(Tensor& out, const Tensor& self, const Tensor& mat2) {
return bridge::write(at::mm(self, mat2), out);
}

Tensor& mm_outf(const Tensor& self, const Tensor& mat2, Tensor& out) {
return at::mm_out(out, self, mat2);
}

Tensor bmm(const Tensor& self, const Tensor& mat2) {
return bridge::product(bridge::native(self), bridge::native(mat2), minima::bmm);
}

Tensor Tensor::bmm(const Tensor& mat2) const {
return at::bmm(*this, mat2);
}

Tensor& bmm_out(Tensor& out, const Tensor& self, const Tensor& mat2) {
return bridge::write(at::bmm(self, mat2), out);
}

Tensor& bmm_outf(const Tensor& self, const Tensor& mat2, Tensor& out) {
return at::bmm_out(out, self, mat2);
}

Tensor mv(const Tensor& self, const Tensor& vec) {
return bridge::product(bridge::native(self), bridge::native(vec), minima::mv);
}

Tensor Tensor::mv(const Tensor& vec) const {
return at::mv(*this, vec);
}

Tensor& mv_out(Tensor& out, const Tensor& self, const Tensor& vec) {
return bridge::write(at::mv(self, vec), out);
}

Tensor& mv_outf(const Tensor& self, const Tensor& vec, Tensor& out) {
return at::mv_out(out, self, vec);
}

Tensor dot(const Tensor& self, const Tensor& tensor) {
return bridge::product(bridge::native(self), bridge::native(tensor), minima::dot);
}

Tensor Tensor::dot(const Tensor& tensor) const {
return at::dot(*this, tensor);
}

Tensor& dot_out(Tensor& out, const Tensor& self, const Tensor& tensor) {
return bridge::write(at::dot(self, tensor), out);
}

Tensor& dot_outf(const Tensor& self, const Tensor& tensor, Tensor& out) {
return at::dot_out(out, self, tensor);
}

Tensor vdot(const Tensor& self, const Tensor& other) {
return minima::dot(minima::conj(bridge::native(self)), bridge::native(other));
}

Tensor Tensor::vdot(const Tensor& other) const {
return at::vdot(*this, other);
}

Tensor& vdot_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::vdot(self, other), out);
}

Tensor& vdot_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::vdot_out(out, self, other);
}

Tensor inner(const Tensor& self, const Tensor& other) {
return minima::inner(bridge::native(self), bridge::native(other));
}

Tensor Tensor::inner(const Tensor& other) const {
return at::inner(*this, other);
}

Tensor& inner_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::inner(self, other), out);
}

Tensor& inner_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::inner_out(out, self, other);
}

Tensor outer(const Tensor& self, const Tensor& vec2) {
return minima::outer(bridge::native(self), bridge::native(vec2));
}

Tensor Tensor::outer(const Tensor& vec2) const {
return at::outer(*this, vec2);
}

Tensor& outer_out(Tensor& out, const Tensor& self, const Tensor& vec2) {
return bridge::write(at::outer(self, vec2), out);
}

Tensor& outer_outf(const Tensor& self, const Tensor& vec2, Tensor& out) {
return at::outer_out(out, self, vec2);
}

Tensor ger(const Tensor& self, const Tensor& vec2) {
return minima::outer(bridge::native(self), bridge::native(vec2));
}

Tensor Tensor::ger(const Tensor& vec2) const {
return at::ger(*this, vec2);
}

Tensor& ger_out(Tensor& out, const Tensor& self, const Tensor& vec2) {
return bridge::write(at::ger(self, vec2), out);
}

Tensor& ger_outf(const Tensor& self, const Tensor& vec2, Tensor& out) {
return at::ger_out(out, self, vec2);
}

Tensor kron(const Tensor& self, const Tensor& other) {
return minima::kron(bridge::native(self), bridge::native(other));
}

Tensor Tensor::kron(const Tensor& other) const {
return at::kron(*this, other);
}

Tensor& kron_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::kron(self, other), out);
}

Tensor& kron_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::kron_out(out, self, other);
}

Tensor cross(const Tensor& self, const Tensor& other, std::optional<int64_t> dim) {
return minima::cross(bridge::native(self), bridge::native(other), bridge::cross_dim(bridge::native(self), bridge::native(other), dim));
}

Tensor Tensor::cross(const Tensor& other, std::optional<int64_t> dim) const {
return at::cross(*this, other, dim);
}

Tensor& cross_out(Tensor& out, const Tensor& self, const Tensor& other, std::optional<int64_t> dim) {
return bridge::write(at::cross(self, other, dim), out);
}

Tensor& cross_outf(const Tensor& self, const Tensor& other, std::optional<int64_t> dim, Tensor& out) {
return at::cross_out(out, self, other, dim);
}

Tensor trace(const Tensor& self) {
return minima::trace(bridge::native(self));
}

Tensor Tensor::trace() const {
return at::trace(*this);
}

Tensor& trace_out(Tensor& out, const Tensor& self) {
return bridge::write(at::trace(self), out);
}

Tensor& trace_outf(const Tensor& self, Tensor& out) {
return at::trace_out(out, self);
}

Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self, IntArrayRef dims_other) {
return minima::tensordot(bridge::native(self), bridge::native(other), bridge::native(dims_self), bridge::native(dims_other));
}

Tensor& tensordot_out(Tensor& out, const Tensor& self, const Tensor& other, IntArrayRef dims_self, IntArrayRef dims_other) {
return bridge::write(at::tensordot(self, other, dims_self, dims_other), out);
}

Tensor& tensordot_outf(const Tensor& self, const Tensor& other, IntArrayRef dims_self, IntArrayRef dims_other, Tensor& out) {
return at::tensordot_out(out, self, other, dims_self, dims_other);
}

Tensor einsum(std::string_view equation, TensorList tensors, OptionalIntArrayRef) {
return minima::einsum(equation, bridge::native(tensors));
}

Tensor& einsum_out(Tensor& out, std::string_view equation, TensorList tensors, OptionalIntArrayRef path) {
return bridge::write(at::einsum(equation, tensors, path), out);
}

Tensor& einsum_outf(std::string_view equation, TensorList tensors, OptionalIntArrayRef path, Tensor& out) {
return at::einsum_out(out, equation, tensors, path);
}

Tensor chain_matmul(TensorList matrices) {
return minima::linalg::multi_dot(bridge::native(matrices));
}

Tensor& chain_matmul_out(Tensor& out, TensorList matrices) {
return bridge::write(at::chain_matmul(matrices), out);
}

Tensor& chain_matmul_outf(TensorList matrices, Tensor& out) {
return at::chain_matmul_out(out, matrices);
}

Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
return bridge::fused(bridge::native(self), bridge::native(mat1), bridge::native(mat2), bridge::native(beta), bridge::native(alpha), minima::addmm);
}

Tensor Tensor::addmm(const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) const {
return at::addmm(*this, mat1, mat2, beta, alpha);
}

Tensor& addmm_(Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
torch::autograd::check_inplace(self);
return bridge::change("addmm_", self, [&](const Tensor& self) { return at::addmm(self, mat1, mat2, beta, alpha); });
}

Tensor& Tensor::addmm_(const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) const {
return at::addmm_(const_cast<Tensor&>(*this), mat1, mat2, beta, alpha);
}

Tensor& addmm_out(Tensor& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
return bridge::write(at::addmm(self, mat1, mat2, beta, alpha), out);
}

Tensor& addmm_outf(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha, Tensor& out) {
return at::addmm_out(out, self, mat1, mat2, beta, alpha);
}

Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta, const Scalar& alpha) {
return bridge::fused(bridge::native(self), bridge::native(mat), bridge::native(vec), bridge::native(beta), bridge::native(alpha), minima::addmv);
}

Tensor Tensor::addmv(const Tensor& mat, const Tensor& vec, const Scalar& beta, const Scalar& alpha) const {
return at::addmv(*this, mat, vec, beta, alpha);
}

Tensor& addmv_(Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta, const Scalar& alpha) {
torch::autograd::check_inplace(self);
return bridge::change("addmv_", self, [&](const Tensor& self) { return at::addmv(self, mat, vec, beta, alpha); });
}

Tensor& Tensor::addmv_(const Tensor& mat, const Tensor& vec, const Scalar& beta, const Scalar& alpha) const {
return at::addmv_(const_cast<Tensor&>(*this), mat, vec, beta, alpha);
}

Tensor& addmv_out(Tensor& out, const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta, const Scalar& alpha) {
return bridge::write(at::addmv(self, mat, vec, beta, alpha), out);
}

Tensor& addmv_outf(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta, const Scalar& alpha, Tensor& out) {
return at::addmv_out(out, self, mat, vec, beta, alpha);
}

Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta, const Scalar& alpha) {
return bridge::fused(bridge::native(self), bridge::native(vec1), bridge::native(vec2), bridge::native(beta), bridge::native(alpha), minima::addr);
}

Tensor Tensor::addr(const Tensor& vec1, const Tensor& vec2, const Scalar& beta, const Scalar& alpha) const {
return at::addr(*this, vec1, vec2, beta, alpha);
}

Tensor& addr_(Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta, const Scalar& alpha) {
torch::autograd::check_inplace(self);
return bridge::change("addr_", self, [&](const Tensor& self) { return at::addr(self, vec1, vec2, beta, alpha); });
}

Tensor& Tensor::addr_(const Tensor& vec1, const Tensor& vec2, const Scalar& beta, const Scalar& alpha) const {
return at::addr_(const_cast<Tensor&>(*this), vec1, vec2, beta, alpha);
}

Tensor& addr_out(Tensor& out, const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta, const Scalar& alpha) {
return bridge::write(at::addr(self, vec1, vec2, beta, alpha), out);
}

Tensor& addr_outf(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta, const Scalar& alpha, Tensor& out) {
return at::addr_out(out, self, vec1, vec2, beta, alpha);
}

Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha) {
return bridge::fused(bridge::native(self), bridge::native(batch1), bridge::native(batch2), bridge::native(beta), bridge::native(alpha), minima::addbmm);
}

Tensor Tensor::addbmm(const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha) const {
return at::addbmm(*this, batch1, batch2, beta, alpha);
}

Tensor& addbmm_(Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha) {
torch::autograd::check_inplace(self);
return bridge::change("addbmm_", self, [&](const Tensor& self) { return at::addbmm(self, batch1, batch2, beta, alpha); });
}

Tensor& Tensor::addbmm_(const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha) const {
return at::addbmm_(const_cast<Tensor&>(*this), batch1, batch2, beta, alpha);
}

Tensor& addbmm_out(Tensor& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha) {
return bridge::write(at::addbmm(self, batch1, batch2, beta, alpha), out);
}

Tensor& addbmm_outf(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha, Tensor& out) {
return at::addbmm_out(out, self, batch1, batch2, beta, alpha);
}

Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha) {
return bridge::fused(bridge::native(self), bridge::native(batch1), bridge::native(batch2), bridge::native(beta), bridge::native(alpha), minima::baddbmm);
}

Tensor Tensor::baddbmm(const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha) const {
return at::baddbmm(*this, batch1, batch2, beta, alpha);
}

Tensor& baddbmm_(Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha) {
torch::autograd::check_inplace(self);
return bridge::change("baddbmm_", self, [&](const Tensor& self) { return at::baddbmm(self, batch1, batch2, beta, alpha); });
}

Tensor& Tensor::baddbmm_(const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha) const {
return at::baddbmm_(const_cast<Tensor&>(*this), batch1, batch2, beta, alpha);
}

Tensor& baddbmm_out(Tensor& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha) {
return bridge::write(at::baddbmm(self, batch1, batch2, beta, alpha), out);
}

Tensor& baddbmm_outf(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha, Tensor& out) {
return at::baddbmm_out(out, self, batch1, batch2, beta, alpha);
}

Tensor matrix_power(const Tensor& self, int64_t n) {
return minima::linalg::matrix_power(bridge::native(self), n);
}

Tensor Tensor::matrix_power(int64_t n) const {
return at::matrix_power(*this, n);
}

Tensor& matrix_power_out(Tensor& out, const Tensor& self, int64_t n) {
return bridge::write(at::matrix_power(self, n), out);
}

Tensor& matrix_power_outf(const Tensor& self, int64_t n, Tensor& out) {
return at::matrix_power_out(out, self, n);
}

Tensor matrix_exp(const Tensor& self) {
return minima::linalg::matrix_exp(bridge::native(self));
}

Tensor Tensor::matrix_exp() const {
return at::matrix_exp(*this);
}

Tensor& matrix_exp_out(Tensor& out, const Tensor& self) {
return bridge::write(at::matrix_exp(self), out);
}

Tensor& matrix_exp_outf(const Tensor& self, Tensor& out) {
return at::matrix_exp_out(out, self);
}

Tensor det(const Tensor& self) {
return minima::linalg::det(bridge::native(self));
}

Tensor Tensor::det() const {
return at::det(*this);
}

Tensor& det_out(Tensor& out, const Tensor& self) {
return bridge::write(at::det(self), out);
}

Tensor& det_outf(const Tensor& self, Tensor& out) {
return at::det_out(out, self);
}

Tensor logdet(const Tensor& self) {
return minima::linalg::logdet(bridge::native(self));
}

Tensor Tensor::logdet() const {
return at::logdet(*this);
}

Tensor& logdet_out(Tensor& out, const Tensor& self) {
return bridge::write(at::logdet(self), out);
}

Tensor& logdet_outf(const Tensor& self, Tensor& out) {
return at::logdet_out(out, self);
}

Tensor inverse(const Tensor& self) {
return minima::linalg::inv(bridge::native(self));
}

Tensor Tensor::inverse() const {
return at::inverse(*this);
}

Tensor& inverse_out(Tensor& out, const Tensor& self) {
return bridge::write(at::inverse(self), out);
}

Tensor& inverse_outf(const Tensor& self, Tensor& out) {
return at::inverse_out(out, self);
}

std::tuple<Tensor, Tensor> slogdet(const Tensor& self) {
return bridge::tuple2(minima::linalg::slogdet(bridge::native(self)));
}

std::tuple<Tensor, Tensor> Tensor::slogdet() const {
return at::slogdet(*this);
}

std::tuple<Tensor&, Tensor&> slogdet_out(Tensor& out0, Tensor& out1, const Tensor& self) {
return bridge::write(at::slogdet(self), out0, out1);
}

std::tuple<Tensor&, Tensor&> slogdet_outf(const Tensor& self, Tensor& out0, Tensor& out1) {
return at::slogdet_out(out0, out1, self);
}

Tensor pinverse(const Tensor& self, double rcond) {
return minima::linalg::pinv(bridge::native(self), {.rtol = rcond});
}

Tensor Tensor::pinverse(double rcond) const {
return at::pinverse(*this, rcond);
}

Tensor& pinverse_out(Tensor& out, const Tensor& self, double rcond) {
return bridge::write(at::pinverse(self, rcond), out);
}

Tensor& pinverse_outf(const Tensor& self, double rcond, Tensor& out) {
return at::pinverse_out(out, self, rcond);
}

Tensor cholesky(const Tensor& self, bool upper) {
return minima::linalg::cholesky(bridge::native(self), upper);
}

Tensor Tensor::cholesky(bool upper) const {
return at::cholesky(*this, upper);
}

Tensor& cholesky_out(Tensor& out, const Tensor& self, bool upper) {
return bridge::write(at::cholesky(self, upper), out);
}

Tensor& cholesky_outf(const Tensor& self, bool upper, Tensor& out) {
return at::cholesky_out(out, self, upper);
}

Tensor cholesky_solve(const Tensor& self, const Tensor& input2, bool upper) {
return minima::linalg::cholesky_solve(bridge::native(self), bridge::native(input2), upper);
}

Tensor Tensor::cholesky_solve(const Tensor& input2, bool upper) const {
return at::cholesky_solve(*this, input2, upper);
}

Tensor& cholesky_solve_out(Tensor& out, const Tensor& self, const Tensor& input2, bool upper) {
return bridge::write(at::cholesky_solve(self, input2, upper), out);
}

Tensor& cholesky_solve_outf(const Tensor& self, const Tensor& input2, bool upper, Tensor& out) {
return at::cholesky_solve_out(out, self, input2, upper);
}

Tensor cholesky_inverse(const Tensor& self, bool upper) {
return minima::linalg::cholesky_inverse(bridge::native(self), upper);
}

Tensor Tensor::cholesky_inverse(bool upper) const {
return at::cholesky_inverse(*this, upper);
}

Tensor& cholesky_inverse_out(Tensor& out, const Tensor& self, bool upper) {
return bridge::write(at::cholesky_inverse(self, upper), out);
}

Tensor& cholesky_inverse_outf(const Tensor& self, bool upper, Tensor& out) {
return at::cholesky_inverse_out(out, self, upper);
}

std::tuple<Tensor, Tensor> qr(const Tensor& self, bool some) {
return bridge::tuple2(minima::linalg::qr(bridge::native(self), bridge::qr_mode(some ? "reduced" : "complete")));
}

std::tuple<Tensor, Tensor> Tensor::qr(bool some) const {
return at::qr(*this, some);
}

std::tuple<Tensor&, Tensor&> qr_out(Tensor& out0, Tensor& out1, const Tensor& self, bool some) {
return bridge::write(at::qr(self, some), out0, out1);
}

std::tuple<Tensor&, Tensor&> qr_outf(const Tensor& self, bool some, Tensor& out0, Tensor& out1) {
return at::qr_out(out0, out1, self, some);
}

std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, bool some, bool compute_uv) {
return bridge::svd(bridge::native(self), some, compute_uv);
}

std::tuple<Tensor, Tensor, Tensor> Tensor::svd(bool some, bool compute_uv) const {
return at::svd(*this, some, compute_uv);
}

std::tuple<Tensor&, Tensor&, Tensor&> svd_out(Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& self, bool some, bool compute_uv) {
return bridge::write(at::svd(self, some, compute_uv), out0, out1, out2);
}

std::tuple<Tensor&, Tensor&, Tensor&> svd_outf(const Tensor& self, bool some, bool compute_uv, Tensor& out0, Tensor& out1, Tensor& out2) {
return at::svd_out(out0, out1, out2, self, some, compute_uv);
}

std::tuple<Tensor, Tensor> geqrf(const Tensor& self) {
return bridge::tuple2(minima::linalg::geqrf(bridge::native(self)));
}

std::tuple<Tensor, Tensor> Tensor::geqrf() const {
return at::geqrf(*this);
}

std::tuple<Tensor&, Tensor&> geqrf_out(Tensor& out0, Tensor& out1, const Tensor& self) {
return bridge::write(at::geqrf(self), out0, out1);
}

std::tuple<Tensor&, Tensor&> geqrf_outf(const Tensor& self, Tensor& out0, Tensor& out1) {
return at::geqrf_out(out0, out1, self);
}

Tensor orgqr(const Tensor& self, const Tensor& input2) {
return minima::linalg::householder_product(bridge::native(self), bridge::native(input2));
}

Tensor Tensor::orgqr(const Tensor& input2) const {
return at::orgqr(*this, input2);
}

Tensor& orgqr_out(Tensor& out, const Tensor& self, const Tensor& input2) {
return bridge::write(at::orgqr(self, input2), out);
}

Tensor& orgqr_outf(const Tensor& self, const Tensor& input2, Tensor& out) {
return at::orgqr_out(out, self, input2);
}

Tensor ormqr(const Tensor& self, const Tensor& input2, const Tensor& input3, bool left, bool transpose) {
return minima::linalg::ormqr(bridge::native(self), bridge::native(input2), bridge::native(input3), {.left = left, .transposed = transpose});
}

Tensor Tensor::ormqr(const Tensor& input2, const Tensor& input3, bool left, bool transpose) const {
return at::ormqr(*this, input2, input3, left, transpose);
}

Tensor& ormqr_out(Tensor& out, const Tensor& self, const Tensor& input2, const Tensor& input3, bool left, bool transpose) {
return bridge::write(at::ormqr(self, input2, input3, left, transpose), out);
}

Tensor& ormqr_outf(const Tensor& self, const Tensor& input2, const Tensor& input3, bool left, bool transpose, Tensor& out) {
return at::ormqr_out(out, self, input2, input3, left, transpose);
}

Tensor lu_solve(const Tensor& self, const Tensor& LU_data, const Tensor& LU_pivots) {
return minima::linalg::lu_solve({bridge::native(LU_data), bridge::native(LU_pivots)}, bridge::native(self));
}

Tensor Tensor::lu_solve(const Tensor& LU_data, const Tensor& LU_pivots) const {
return at::lu_solve(*this, LU_data, LU_pivots);
}

Tensor& lu_solve_out(Tensor& out, const Tensor& self, const Tensor& LU_data, const Tensor& LU_pivots) {
return bridge::write(at::lu_solve(self, LU_data, LU_pivots), out);
}

Tensor& lu_solve_outf(const Tensor& self, const Tensor& LU_data, const Tensor& LU_pivots, Tensor& out) {
return at::lu_solve_out(out, self, LU_data, LU_pivots);
}

std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data, const Tensor& LU_pivots, bool, bool) {
return bridge::tuple3(minima::linalg::lu_unpack({bridge::native(LU_data), bridge::native(LU_pivots)}));
}

std::tuple<Tensor&, Tensor&, Tensor&> lu_unpack_out(Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& LU_data, const Tensor& LU_pivots, bool unpack_data, bool unpack_pivots) {
return bridge::write(at::lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots), out0, out1, out2);
}

std::tuple<Tensor&, Tensor&, Tensor&> lu_unpack_outf(const Tensor& LU_data, const Tensor& LU_pivots, bool unpack_data, bool unpack_pivots, Tensor& out0, Tensor& out1, Tensor& out2) {
return at::lu_unpack_out(out0, out1, out2, LU_data, LU_pivots, unpack_data, unpack_pivots);
}

std::tuple<Tensor, Tensor> triangular_solve(const Tensor& self, const Tensor& A, bool upper, bool transpose, bool unitriangular) {
return bridge::triangular_solve(bridge::native(self), bridge::native(A), upper, transpose, unitriangular);
}

std::tuple<Tensor, Tensor> Tensor::triangular_solve(const Tensor& A, bool upper, bool transpose, bool unitriangular) const {
return at::triangular_solve(*this, A, upper, transpose, unitriangular);
}

std::tuple<Tensor&, Tensor&> triangular_solve_out(Tensor& out0, Tensor& out1, const Tensor& self, const Tensor& A, bool upper, bool transpose, bool unitriangular) {
return bridge::write(at::triangular_solve(self, A, upper, transpose, unitriangular), out0, out1);
}

std::tuple<Tensor&, Tensor&> triangular_solve_outf(const Tensor& self, const Tensor& A, bool upper, bool transpose, bool unitriangular, Tensor& out0, Tensor& out1) {
return at::triangular_solve_out(out0, out1, self, A, upper, transpose, unitriangular);
}

Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim) {
return minima::cross(bridge::native(self), bridge::native(other), dim);
}

Tensor& linalg_cross_out(Tensor& out, const Tensor& self, const Tensor& other, int64_t dim) {
return bridge::write(at::linalg_cross(self, other, dim), out);
}

Tensor& linalg_cross_outf(const Tensor& self, const Tensor& other, int64_t dim, Tensor& out) {
return at::linalg_cross_out(out, self, other, dim);
}

Tensor linalg_matmul(const Tensor& self, const Tensor& other) {
return bridge::product(bridge::native(self), bridge::native(other), minima::matmul);
}

Tensor& linalg_matmul_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::linalg_matmul(self, other), out);
}

Tensor& linalg_matmul_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::linalg_matmul_out(out, self, other);
}

Tensor linalg_vecdot(const Tensor& x, const Tensor& y, int64_t dim) {
return minima::sum(minima::mul(minima::conj(bridge::native(x)), bridge::native(y)), dim);
}

Tensor& linalg_vecdot_out(Tensor& out, const Tensor& x, const Tensor& y, int64_t dim) {
return bridge::write(at::linalg_vecdot(x, y, dim), out);
}

Tensor& linalg_vecdot_outf(const Tensor& x, const Tensor& y, int64_t dim, Tensor& out) {
return at::linalg_vecdot_out(out, x, y, dim);
}

Tensor linalg_vander(const Tensor& x, std::optional<int64_t> N) {
return minima::vander(bridge::native(x), N.value_or(-1), true);
}

Tensor& linalg_vander_out(Tensor& out, const Tensor& x, std::optional<int64_t> N) {
return bridge::write(at::linalg_vander(x, N), out);
}

Tensor& linalg_vander_outf(const Tensor& x, std::optional<int64_t> N, Tensor& out) {
return at::linalg_vander_out(out, x, N);
}

Tensor linalg_det(const Tensor& A) {
return minima::linalg::det(bridge::native(A));
}

Tensor& linalg_det_out(Tensor& out, const Tensor& A) {
return bridge::write(at::linalg_det(A), out);
}

Tensor& linalg_det_outf(const Tensor& A, Tensor& out) {
return at::linalg_det_out(out, A);
}

Tensor linalg_inv(const Tensor& A) {
return minima::linalg::inv(bridge::native(A));
}

Tensor& linalg_inv_out(Tensor& out, const Tensor& A) {
return bridge::write(at::linalg_inv(A), out);
}

Tensor& linalg_inv_outf(const Tensor& A, Tensor& out) {
return at::linalg_inv_out(out, A);
}

Tensor linalg_cholesky(const Tensor& self, bool upper) {
return minima::linalg::cholesky(bridge::native(self), upper);
}

Tensor& linalg_cholesky_out(Tensor& out, const Tensor& self, bool upper) {
return bridge::write(at::linalg_cholesky(self, upper), out);
}

Tensor& linalg_cholesky_outf(const Tensor& self, bool upper, Tensor& out) {
return at::linalg_cholesky_out(out, self, upper);
}

std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& self, bool upper, bool) {
return bridge::tuple2(minima::linalg::cholesky_ex(bridge::native(self), upper));
}

std::tuple<Tensor&, Tensor&> linalg_cholesky_ex_out(Tensor& out0, Tensor& out1, const Tensor& self, bool upper, bool check_errors) {
return bridge::write(at::linalg_cholesky_ex(self, upper, check_errors), out0, out1);
}

std::tuple<Tensor&, Tensor&> linalg_cholesky_ex_outf(const Tensor& self, bool upper, bool check_errors, Tensor& out0, Tensor& out1) {
return at::linalg_cholesky_ex_out(out0, out1, self, upper, check_errors);
}

std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& A, bool pivot) {
return bridge::tuple2(minima::linalg::lu_factor(bridge::pivoted(bridge::native(A), pivot)));
}

std::tuple<Tensor&, Tensor&> linalg_lu_factor_out(Tensor& out0, Tensor& out1, const Tensor& A, bool pivot) {
return bridge::write(at::linalg_lu_factor(A, pivot), out0, out1);
}

std::tuple<Tensor&, Tensor&> linalg_lu_factor_outf(const Tensor& A, bool pivot, Tensor& out0, Tensor& out1) {
return at::linalg_lu_factor_out(out0, out1, A, pivot);
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& A, bool pivot, bool) {
return bridge::tuple3(minima::linalg::lu_factor_ex(bridge::pivoted(bridge::native(A), pivot)));
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_lu_factor_ex_out(Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& A, bool pivot, bool check_errors) {
return bridge::write(at::linalg_lu_factor_ex(A, pivot, check_errors), out0, out1, out2);
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_lu_factor_ex_outf(const Tensor& A, bool pivot, bool check_errors, Tensor& out0, Tensor& out1, Tensor& out2) {
return at::linalg_lu_factor_ex_out(out0, out1, out2, A, pivot, check_errors);
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A, bool pivot) {
return bridge::tuple3(minima::linalg::lu(bridge::pivoted(bridge::native(A), pivot)));
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_lu_out(Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& A, bool pivot) {
return bridge::write(at::linalg_lu(A, pivot), out0, out1, out2);
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_lu_outf(const Tensor& A, bool pivot, Tensor& out0, Tensor& out1, Tensor& out2) {
return at::linalg_lu_out(out0, out1, out2, A, pivot);
}

Tensor linalg_lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint) {
return minima::linalg::lu_solve({bridge::native(LU), bridge::native(pivots)}, bridge::no_adjoint(bridge::native(B), adjoint), left);
}

Tensor& linalg_lu_solve_out(Tensor& out, const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint) {
return bridge::write(at::linalg_lu_solve(LU, pivots, B, left, adjoint), out);
}

Tensor& linalg_lu_solve_outf(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint, Tensor& out) {
return at::linalg_lu_solve_out(out, LU, pivots, B, left, adjoint);
}

std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& self, bool) {
return bridge::tuple2(minima::linalg::ldl_factor(bridge::native(self)));
}

std::tuple<Tensor&, Tensor&> linalg_ldl_factor_out(Tensor& out0, Tensor& out1, const Tensor& self, bool hermitian) {
return bridge::write(at::linalg_ldl_factor(self, hermitian), out0, out1);
}

std::tuple<Tensor&, Tensor&> linalg_ldl_factor_outf(const Tensor& self, bool hermitian, Tensor& out0, Tensor& out1) {
return at::linalg_ldl_factor_out(out0, out1, self, hermitian);
}

std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor& self, bool, bool) {
return bridge::tuple3(minima::linalg::ldl_factor_ex(bridge::native(self)));
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_ldl_factor_ex_out(Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& self, bool hermitian, bool check_errors) {
return bridge::write(at::linalg_ldl_factor_ex(self, hermitian, check_errors), out0, out1, out2);
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_ldl_factor_ex_outf(const Tensor& self, bool hermitian, bool check_errors, Tensor& out0, Tensor& out1, Tensor& out2) {
return at::linalg_ldl_factor_ex_out(out0, out1, out2, self, hermitian, check_errors);
}

Tensor linalg_ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool) {
return minima::linalg::ldl_solve({bridge::native(LD), bridge::native(pivots)}, bridge::native(B));
}

Tensor& linalg_ldl_solve_out(Tensor& out, const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian) {
return bridge::write(at::linalg_ldl_solve(LD, pivots, B, hermitian), out);
}

Tensor& linalg_ldl_solve_outf(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian, Tensor& out) {
return at::linalg_ldl_solve_out(out, LD, pivots, B, hermitian);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(const Tensor& self, const Tensor& b, std::optional<double> rcond, std::optional<std::string_view>) {
return bridge::lstsq(bridge::native(self), bridge::native(b), rcond);
}

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> linalg_lstsq_out(Tensor& out0, Tensor& out1, Tensor& out2, Tensor& out3, const Tensor& self, const Tensor& b, std::optional<double> rcond, std::optional<std::string_view> driver) {
return bridge::write(at::linalg_lstsq(self, b, rcond, driver), out0, out1, out2, out3);
}

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> linalg_lstsq_outf(const Tensor& self, const Tensor& b, std::optional<double> rcond, std::optional<std::string_view> driver, Tensor& out0, Tensor& out1, Tensor& out2, Tensor& out3) {
return at::linalg_lstsq_out(out0, out1, out2, out3, self, b, rcond, driver);
}

std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& A) {
return bridge::tuple2(minima::linalg::slogdet(bridge::native(A)));
}

std::tuple<Tensor&, Tensor&> linalg_slogdet_out(Tensor& out0, Tensor& out1, const Tensor& A) {
return bridge::write(at::linalg_slogdet(A), out0, out1);
}

std::tuple<Tensor&, Tensor&> linalg_slogdet_outf(const Tensor& A, Tensor& out0, Tensor& out1) {
return at::linalg_slogdet_out(out0, out1, A);
}

std::tuple<Tensor, Tensor> linalg_eig(const Tensor& self) {
return bridge::tuple2(minima::linalg::eig(bridge::native(self)));
}

std::tuple<Tensor&, Tensor&> linalg_eig_out(Tensor& out0, Tensor& out1, const Tensor& self) {
return bridge::write(at::linalg_eig(self), out0, out1);
}

std::tuple<Tensor&, Tensor&> linalg_eig_outf(const Tensor& self, Tensor& out0, Tensor& out1) {
return at::linalg_eig_out(out0, out1, self);
}

Tensor linalg_eigvals(const Tensor& self) {
return minima::linalg::eigvals(bridge::native(self));
}

Tensor& linalg_eigvals_out(Tensor& out, const Tensor& self) {
return bridge::write(at::linalg_eigvals(self), out);
}

Tensor& linalg_eigvals_outf(const Tensor& self, Tensor& out) {
return at::linalg_eigvals_out(out, self);
}

std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& self, std::string_view UPLO) {
return bridge::tuple2(minima::linalg::eigh(bridge::native(self), UPLO == "U"));
}

std::tuple<Tensor&, Tensor&> linalg_eigh_out(Tensor& out0, Tensor& out1, const Tensor& self, std::string_view UPLO) {
return bridge::write(at::linalg_eigh(self, UPLO), out0, out1);
}

std::tuple<Tensor&, Tensor&> linalg_eigh_outf(const Tensor& self, std::string_view UPLO, Tensor& out0, Tensor& out1) {
return at::linalg_eigh_out(out0, out1, self, UPLO);
}

Tensor linalg_eigvalsh(const Tensor& self, std::string_view UPLO) {
return minima::linalg::eigvalsh(bridge::native(self), UPLO == "U");
}

Tensor& linalg_eigvalsh_out(Tensor& out, const Tensor& self, std::string_view UPLO) {
return bridge::write(at::linalg_eigvalsh(self, UPLO), out);
}

Tensor& linalg_eigvalsh_outf(const Tensor& self, std::string_view UPLO, Tensor& out) {
return at::linalg_eigvalsh_out(out, self, UPLO);
}

Tensor linalg_householder_product(const Tensor& input, const Tensor& tau) {
return minima::linalg::householder_product(bridge::native(input), bridge::native(tau));
}

Tensor& linalg_householder_product_out(Tensor& out, const Tensor& input, const Tensor& tau) {
return bridge::write(at::linalg_householder_product(input, tau), out);
}

Tensor& linalg_householder_product_outf(const Tensor& input, const Tensor& tau, Tensor& out) {
return at::linalg_householder_product_out(out, input, tau);
}

std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& A, bool) {
return bridge::tuple2(minima::linalg::inv_ex(bridge::native(A)));
}

std::tuple<Tensor&, Tensor&> linalg_inv_ex_out(Tensor& out0, Tensor& out1, const Tensor& A, bool check_errors) {
return bridge::write(at::linalg_inv_ex(A, check_errors), out0, out1);
}

std::tuple<Tensor&, Tensor&> linalg_inv_ex_outf(const Tensor& A, bool check_errors, Tensor& out0, Tensor& out1) {
return at::linalg_inv_ex_out(out0, out1, A, check_errors);
}

Tensor linalg_matrix_exp(const Tensor& self) {
return minima::linalg::matrix_exp(bridge::native(self));
}

Tensor& linalg_matrix_exp_out(Tensor& out, const Tensor& self) {
return bridge::write(at::linalg_matrix_exp(self), out);
}

Tensor& linalg_matrix_exp_outf(const Tensor& self, Tensor& out) {
return at::linalg_matrix_exp_out(out, self);
}

Tensor linalg_matrix_power(const Tensor& self, int64_t n) {
return minima::linalg::matrix_power(bridge::native(self), n);
}

Tensor& linalg_matrix_power_out(Tensor& out, const Tensor& self, int64_t n) {
return bridge::write(at::linalg_matrix_power(self, n), out);
}

Tensor& linalg_matrix_power_outf(const Tensor& self, int64_t n, Tensor& out) {
return at::linalg_matrix_power_out(out, self, n);
}

Tensor linalg_norm(const Tensor& self, const std::optional<Scalar>& ord, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return bridge::linalg_norm(bridge::cast(bridge::native(self), bridge::native(dtype)), bridge::native(ord), dim, keepdim);
}

Tensor& linalg_norm_out(Tensor& out, const Tensor& self, const std::optional<Scalar>& ord, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return bridge::write(at::linalg_norm(self, ord, dim, keepdim, dtype), out);
}

Tensor& linalg_norm_outf(const Tensor& self, const std::optional<Scalar>& ord, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
return at::linalg_norm_out(out, self, ord, dim, keepdim, dtype);
}

Tensor linalg_norm(const Tensor& self, std::string_view ord, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return minima::linalg::matrix_norm(bridge::cast(bridge::native(self), bridge::native(dtype)), bridge::matrix_norm(ord), bridge::last_two(dim), keepdim);
}

Tensor& linalg_norm_out(Tensor& out, const Tensor& self, std::string_view ord, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return bridge::write(at::linalg_norm(self, ord, dim, keepdim, dtype), out);
}

Tensor& linalg_norm_outf(const Tensor& self, std::string_view ord, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
return at::linalg_norm_out(out, self, ord, dim, keepdim, dtype);
}

Tensor linalg_vector_norm(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return minima::linalg::vector_norm(bridge::cast(bridge::native(self), bridge::native(dtype)), bridge::native(ord).to<double>(), bridge::native(dim), keepdim);
}

Tensor& linalg_vector_norm_out(Tensor& out, const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return bridge::write(at::linalg_vector_norm(self, ord, dim, keepdim, dtype), out);
}

Tensor& linalg_vector_norm_outf(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
return at::linalg_vector_norm_out(out, self, ord, dim, keepdim, dtype);
}

Tensor linalg_matrix_norm(const Tensor& self, const Scalar& ord, IntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return minima::linalg::matrix_norm(bridge::cast(bridge::native(self), bridge::native(dtype)), bridge::native(ord).to<double>(), bridge::native(dim), keepdim);
}

Tensor& linalg_matrix_norm_out(Tensor& out, const Tensor& self, const Scalar& ord, IntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return bridge::write(at::linalg_matrix_norm(self, ord, dim, keepdim, dtype), out);
}

Tensor& linalg_matrix_norm_outf(const Tensor& self, const Scalar& ord, IntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
return at::linalg_matrix_norm_out(out, self, ord, dim, keepdim, dtype);
}

Tensor linalg_matrix_norm(const Tensor& self, std::string_view ord, IntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return minima::linalg::matrix_norm(bridge::cast(bridge::native(self), bridge::native(dtype)), bridge::matrix_norm(ord), bridge::native(dim), keepdim);
}

Tensor& linalg_matrix_norm_out(Tensor& out, const Tensor& self, std::string_view ord, IntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return bridge::write(at::linalg_matrix_norm(self, ord, dim, keepdim, dtype), out);
}

Tensor& linalg_matrix_norm_outf(const Tensor& self, std::string_view ord, IntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
return at::linalg_matrix_norm_out(out, self, ord, dim, keepdim, dtype);
}

std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& A, bool full_matrices, std::optional<std::string_view>) {
return bridge::tuple3(minima::linalg::svd(bridge::native(A), full_matrices));
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_svd_out(Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& A, bool full_matrices, std::optional<std::string_view> driver) {
return bridge::write(at::linalg_svd(A, full_matrices, driver), out0, out1, out2);
}

std::tuple<Tensor&, Tensor&, Tensor&> linalg_svd_outf(const Tensor& A, bool full_matrices, std::optional<std::string_view> driver, Tensor& out0, Tensor& out1, Tensor& out2) {
return at::linalg_svd_out(out0, out1, out2, A, full_matrices, driver);
}

Tensor linalg_svdvals(const Tensor& A, std::optional<std::string_view>) {
return minima::linalg::svdvals(bridge::native(A));
}

Tensor& linalg_svdvals_out(Tensor& out, const Tensor& A, std::optional<std::string_view> driver) {
return bridge::write(at::linalg_svdvals(A, driver), out);
}

Tensor& linalg_svdvals_outf(const Tensor& A, std::optional<std::string_view> driver, Tensor& out) {
return at::linalg_svdvals_out(out, A, driver);
}

Tensor linalg_cond(const Tensor& self, const std::optional<Scalar>& p) {
return minima::linalg::cond(bridge::native(self), bridge::number(bridge::native(p), 2));
}

Tensor& linalg_cond_out(Tensor& out, const Tensor& self, const std::optional<Scalar>& p) {
return bridge::write(at::linalg_cond(self, p), out);
}

Tensor& linalg_cond_outf(const Tensor& self, const std::optional<Scalar>& p, Tensor& out) {
return at::linalg_cond_out(out, self, p);
}

Tensor linalg_cond(const Tensor& self, std::string_view p) {
return minima::linalg::cond(bridge::native(self), bridge::matrix_norm(p));
}

Tensor& linalg_cond_out(Tensor& out, const Tensor& self, std::string_view p) {
return bridge::write(at::linalg_cond(self, p), out);
}

Tensor& linalg_cond_outf(const Tensor& self, std::string_view p, Tensor& out) {
return at::linalg_cond_out(out, self, p);
}

Tensor linalg_pinv(const Tensor& self, const std::optional<Tensor>& atol, const std::optional<Tensor>& rtol, bool) {
return minima::linalg::pinv(bridge::native(self), bridge::tolerance(bridge::native(atol), bridge::native(rtol)));
}

Tensor& linalg_pinv_out(Tensor& out, const Tensor& self, const std::optional<Tensor>& atol, const std::optional<Tensor>& rtol, bool hermitian) {
return bridge::write(at::linalg_pinv(self, atol, rtol, hermitian), out);
}

Tensor& linalg_pinv_outf(const Tensor& self, const std::optional<Tensor>& atol, const std::optional<Tensor>& rtol, bool hermitian, Tensor& out) {
return at::linalg_pinv_out(out, self, atol, rtol, hermitian);
}

Tensor linalg_pinv(const Tensor& self, std::optional<double> atol, std::optional<double> rtol, bool) {
return minima::linalg::pinv(bridge::native(self), {.atol = atol, .rtol = rtol});
}

Tensor& linalg_pinv_out(Tensor& out, const Tensor& self, std::optional<double> atol, std::optional<double> rtol, bool hermitian) {
return bridge::write(at::linalg_pinv(self, atol, rtol, hermitian), out);
}

Tensor& linalg_pinv_outf(const Tensor& self, std::optional<double> atol, std::optional<double> rtol, bool hermitian, Tensor& out) {
return at::linalg_pinv_out(out, self, atol, rtol, hermitian);
}

Tensor linalg_pinv(const Tensor& self, double rcond, bool) {
return minima::linalg::pinv(bridge::native(self), {.rtol = rcond});
}

Tensor& linalg_pinv_out(Tensor& out, const Tensor& self, double rcond, bool hermitian) {
return bridge::write(at::linalg_pinv(self, rcond, hermitian), out);
}

Tensor& linalg_pinv_outf(const Tensor& self, double rcond, bool hermitian, Tensor& out) {
return at::linalg_pinv_out(out, self, rcond, hermitian);
}

Tensor linalg_pinv(const Tensor& self, const Tensor& rcond, bool) {
return minima::linalg::pinv(bridge::native(self), {.rtol = bridge::native(rcond).item<double>()});
}

Tensor& linalg_pinv_out(Tensor& out, const Tensor& self, const Tensor& rcond, bool hermitian) {
return bridge::write(at::linalg_pinv(self, rcond, hermitian), out);
}

Tensor& linalg_pinv_outf(const Tensor& self, const Tensor& rcond, bool hermitian, Tensor& out) {
return at::linalg_pinv_out(out, self, rcond, hermitian);
}

Tensor linalg_matrix_rank(const Tensor& input, const std::optional<Tensor>& atol, const std::optional<Tensor>& rtol, bool) {
return minima::linalg::matrix_rank(bridge::native(input), bridge::tolerance(bridge::native(atol), bridge::native(rtol)));
}

Tensor& linalg_matrix_rank_out(Tensor& out, const Tensor& input, const std::optional<Tensor>& atol, const std::optional<Tensor>& rtol, bool hermitian) {
return bridge::write(at::linalg_matrix_rank(input, atol, rtol, hermitian), out);
}

Tensor& linalg_matrix_rank_outf(const Tensor& input, const std::optional<Tensor>& atol, const std::optional<Tensor>& rtol, bool hermitian, Tensor& out) {
return at::linalg_matrix_rank_out(out, input, atol, rtol, hermitian);
}

Tensor linalg_matrix_rank(const Tensor& self, std::optional<double> atol, std::optional<double> rtol, bool) {
return minima::linalg::matrix_rank(bridge::native(self), {.atol = atol, .rtol = rtol});
}

Tensor& linalg_matrix_rank_out(Tensor& out, const Tensor& self, std::optional<double> atol, std::optional<double> rtol, bool hermitian) {
return bridge::write(at::linalg_matrix_rank(self, atol, rtol, hermitian), out);
}

Tensor& linalg_matrix_rank_outf(const Tensor& self, std::optional<double> atol, std::optional<double> rtol, bool hermitian, Tensor& out) {
return at::linalg_matrix_rank_out(out, self, atol, rtol, hermitian);
}

Tensor linalg_matrix_rank(const Tensor& self, double tol, bool) {
return minima::linalg::matrix_rank(bridge::native(self), {.atol = tol, .rtol = 0});
}

Tensor& linalg_matrix_rank_out(Tensor& out, const Tensor& self, double tol, bool hermitian) {
return bridge::write(at::linalg_matrix_rank(self, tol, hermitian), out);
}

Tensor& linalg_matrix_rank_outf(const Tensor& self, double tol, bool hermitian, Tensor& out) {
return at::linalg_matrix_rank_out(out, self, tol, hermitian);
}

Tensor linalg_matrix_rank(const Tensor& input, const Tensor& tol, bool) {
return minima::linalg::matrix_rank(bridge::native(input), {.atol = bridge::native(tol).item<double>(), .rtol = 0});
}

Tensor& linalg_matrix_rank_out(Tensor& out, const Tensor& input, const Tensor& tol, bool hermitian) {
return bridge::write(at::linalg_matrix_rank(input, tol, hermitian), out);
}

Tensor& linalg_matrix_rank_outf(const Tensor& input, const Tensor& tol, bool hermitian, Tensor& out) {
return at::linalg_matrix_rank_out(out, input, tol, hermitian);
}

Tensor linalg_solve(const Tensor& A, const Tensor& B, bool left) {
return minima::linalg::solve(bridge::native(A), bridge::native(B), left);
}

Tensor& linalg_solve_out(Tensor& out, const Tensor& A, const Tensor& B, bool left) {
return bridge::write(at::linalg_solve(A, B, left), out);
}

Tensor& linalg_solve_outf(const Tensor& A, const Tensor& B, bool left, Tensor& out) {
return at::linalg_solve_out(out, A, B, left);
}

std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& A, const Tensor& B, bool left, bool) {
return bridge::tuple2(minima::linalg::solve_ex(bridge::native(A), bridge::native(B), left));
}

std::tuple<Tensor&, Tensor&> linalg_solve_ex_out(Tensor& out0, Tensor& out1, const Tensor& A, const Tensor& B, bool left, bool check_errors) {
return bridge::write(at::linalg_solve_ex(A, B, left, check_errors), out0, out1);
}

std::tuple<Tensor&, Tensor&> linalg_solve_ex_outf(const Tensor& A, const Tensor& B, bool left, bool check_errors, Tensor& out0, Tensor& out1) {
return at::linalg_solve_ex_out(out0, out1, A, B, left, check_errors);
}

Tensor linalg_solve_triangular(const Tensor& self, const Tensor& B, bool upper, bool left, bool unitriangular) {
return minima::linalg::solve_triangular(bridge::native(self), bridge::native(B), {.upper = upper, .left = left, .unitriangular = unitriangular});
}

Tensor& linalg_solve_triangular_out(Tensor& out, const Tensor& self, const Tensor& B, bool upper, bool left, bool unitriangular) {
return bridge::write(at::linalg_solve_triangular(self, B, upper, left, unitriangular), out);
}

Tensor& linalg_solve_triangular_outf(const Tensor& self, const Tensor& B, bool upper, bool left, bool unitriangular, Tensor& out) {
return at::linalg_solve_triangular_out(out, self, B, upper, left, unitriangular);
}

Tensor linalg_tensorinv(const Tensor& self, int64_t ind) {
return minima::linalg::tensorinv(bridge::native(self), ind);
}

Tensor& linalg_tensorinv_out(Tensor& out, const Tensor& self, int64_t ind) {
return bridge::write(at::linalg_tensorinv(self, ind), out);
}

Tensor& linalg_tensorinv_outf(const Tensor& self, int64_t ind, Tensor& out) {
return at::linalg_tensorinv_out(out, self, ind);
}

Tensor linalg_tensorsolve(const Tensor& self, const Tensor& other, OptionalIntArrayRef dims) {
return minima::linalg::tensorsolve(bridge::native(self), bridge::native(other), bridge::native(dims));
}

Tensor& linalg_tensorsolve_out(Tensor& out, const Tensor& self, const Tensor& other, OptionalIntArrayRef dims) {
return bridge::write(at::linalg_tensorsolve(self, other, dims), out);
}

Tensor& linalg_tensorsolve_outf(const Tensor& self, const Tensor& other, OptionalIntArrayRef dims, Tensor& out) {
return at::linalg_tensorsolve_out(out, self, other, dims);
}

std::tuple<Tensor, Tensor> linalg_qr(const Tensor& A, std::string_view mode) {
return bridge::tuple2(minima::linalg::qr(bridge::native(A), bridge::qr_mode(mode)));
}

std::tuple<Tensor&, Tensor&> linalg_qr_out(Tensor& out0, Tensor& out1, const Tensor& A, std::string_view mode) {
return bridge::write(at::linalg_qr(A, mode), out0, out1);
}

std::tuple<Tensor&, Tensor&> linalg_qr_outf(const Tensor& A, std::string_view mode, Tensor& out0, Tensor& out1) {
return at::linalg_qr_out(out0, out1, A, mode);
}

Tensor linalg_multi_dot(TensorList tensors) {
return minima::linalg::multi_dot(bridge::native(tensors));
}

Tensor& linalg_multi_dot_out(Tensor& out, TensorList tensors) {
return bridge::write(at::linalg_multi_dot(tensors), out);
}

Tensor& linalg_multi_dot_outf(TensorList tensors, Tensor& out) {
return at::linalg_multi_dot_out(out, tensors);
}

}  // namespace at
