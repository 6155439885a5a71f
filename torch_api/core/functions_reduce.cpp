// Written by scripts/torch_functions.py from torch_api/table.
// clang-format off
#include <core/bridge.h>

namespace at {

Tensor sum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return minima::sum(bridge::cast(bridge::native(self), bridge::native(dtype)), bridge::native(dim), keepdim);
}

Tensor Tensor::sum(OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) const {
return at::sum(*this, dim, keepdim, dtype);
}

Tensor& sum_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return bridge::write(at::sum(self, dim, keepdim, dtype), out);
}

Tensor& sum_outf(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
return at::sum_out(out, self, dim, keepdim, dtype);
}

Tensor nansum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return minima::nansum(bridge::cast(bridge::native(self), bridge::native(dtype)), bridge::native(dim), keepdim);
}

Tensor Tensor::nansum(OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) const {
return at::nansum(*this, dim, keepdim, dtype);
}

Tensor& nansum_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return bridge::write(at::nansum(self, dim, keepdim, dtype), out);
}

Tensor& nansum_outf(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
return at::nansum_out(out, self, dim, keepdim, dtype);
}

Tensor nanmean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return minima::nanmean(bridge::cast(bridge::native(self), bridge::native(dtype)), bridge::native(dim), keepdim);
}

Tensor Tensor::nanmean(OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) const {
return at::nanmean(*this, dim, keepdim, dtype);
}

Tensor& nanmean_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return bridge::write(at::nanmean(self, dim, keepdim, dtype), out);
}

Tensor& nanmean_outf(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
return at::nanmean_out(out, self, dim, keepdim, dtype);
}

Tensor mean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return minima::mean(bridge::cast(bridge::native(self), bridge::native(dtype)), bridge::native(dim), keepdim);
}

Tensor Tensor::mean(OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) const {
return at::mean(*this, dim, keepdim, dtype);
}

Tensor& mean_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
return bridge::write(at::mean(self, dim, keepdim, dtype), out);
}

Tensor& mean_outf(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
return at::mean_out(out, self, dim, keepdim, dtype);
}

Tensor sum(const Tensor& self, std::optional<ScalarType> dtype) {
return minima::sum(bridge::cast(bridge::native(self), bridge::native(dtype)));
}

Tensor Tensor::sum(std::optional<ScalarType> dtype) const {
return at::sum(*this, dtype);
}

Tensor& sum_out(Tensor& out, const Tensor& self, std::optional<ScalarType> dtype) {
return bridge::write(at::sum(self, dtype), out);
}

Tensor& sum_outf(const Tensor& self, std::optional<ScalarType> dtype, Tensor& out) {
return at::sum_out(out, self, dtype);
}

Tensor mean(const Tensor& self, std::optional<ScalarType> dtype) {
return minima::mean(bridge::cast(bridge::native(self), bridge::native(dtype)));
}

Tensor Tensor::mean(std::optional<ScalarType> dtype) const {
return at::mean(*this, dtype);
}

Tensor& mean_out(Tensor& out, const Tensor& self, std::optional<ScalarType> dtype) {
return bridge::write(at::mean(self, dtype), out);
}

Tensor& mean_outf(const Tensor& self, std::optional<ScalarType> dtype, Tensor& out) {
return at::mean_out(out, self, dtype);
}

Tensor prod(const Tensor& self, std::optional<ScalarType> dtype) {
return minima::prod(bridge::cast(bridge::native(self), bridge::native(dtype)));
}

Tensor Tensor::prod(std::optional<ScalarType> dtype) const {
return at::prod(*this, dtype);
}

Tensor& prod_out(Tensor& out, const Tensor& self, std::optional<ScalarType> dtype) {
return bridge::write(at::prod(self, dtype), out);
}

Tensor& prod_outf(const Tensor& self, std::optional<ScalarType> dtype, Tensor& out) {
return at::prod_out(out, self, dtype);
}

Tensor nansum(const Tensor& self) {
return minima::nansum(bridge::native(self));
}

Tensor Tensor::nansum() const {
return at::nansum(*this);
}

Tensor& nansum_out(Tensor& out, const Tensor& self) {
return bridge::write(at::nansum(self), out);
}

Tensor& nansum_outf(const Tensor& self, Tensor& out) {
return at::nansum_out(out, self);
}

Tensor nanmean(const Tensor& self) {
return minima::nanmean(bridge::native(self));
}

Tensor Tensor::nanmean() const {
return at::nanmean(*this);
}

Tensor& nanmean_out(Tensor& out, const Tensor& self) {
return bridge::write(at::nanmean(self), out);
}

Tensor& nanmean_outf(const Tensor& self, Tensor& out) {
return at::nanmean_out(out, self);
}

Tensor prod(const Tensor& self, int64_t dim, bool keepdim, std::optional<ScalarType> dtype) {
return minima::prod(bridge::cast(bridge::native(self), bridge::native(dtype)), dim, keepdim);
}

Tensor Tensor::prod(int64_t dim, bool keepdim, std::optional<ScalarType> dtype) const {
return at::prod(*this, dim, keepdim, dtype);
}

Tensor& prod_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim, std::optional<ScalarType> dtype) {
return bridge::write(at::prod(self, dim, keepdim, dtype), out);
}

Tensor& prod_outf(const Tensor& self, int64_t dim, bool keepdim, std::optional<ScalarType> dtype, Tensor& out) {
return at::prod_out(out, self, dim, keepdim, dtype);
}

Tensor amax(const Tensor& self, IntArrayRef dim, bool keepdim) {
return minima::amax(bridge::native(self), bridge::native(dim), keepdim);
}

Tensor Tensor::amax(IntArrayRef dim, bool keepdim) const {
return at::amax(*this, dim, keepdim);
}

Tensor& amax_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim) {
return bridge::write(at::amax(self, dim, keepdim), out);
}

Tensor& amax_outf(const Tensor& self, IntArrayRef dim, bool keepdim, Tensor& out) {
return at::amax_out(out, self, dim, keepdim);
}

Tensor amin(const Tensor& self, IntArrayRef dim, bool keepdim) {
return minima::amin(bridge::native(self), bridge::native(dim), keepdim);
}

Tensor Tensor::amin(IntArrayRef dim, bool keepdim) const {
return at::amin(*this, dim, keepdim);
}

Tensor& amin_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim) {
return bridge::write(at::amin(self, dim, keepdim), out);
}

Tensor& amin_outf(const Tensor& self, IntArrayRef dim, bool keepdim, Tensor& out) {
return at::amin_out(out, self, dim, keepdim);
}

Tensor all(const Tensor& self) {
return minima::all(bridge::native(self));
}

Tensor Tensor::all() const {
return at::all(*this);
}

Tensor& all_out(Tensor& out, const Tensor& self) {
return bridge::write(at::all(self), out);
}

Tensor& all_outf(const Tensor& self, Tensor& out) {
return at::all_out(out, self);
}

Tensor any(const Tensor& self) {
return minima::any(bridge::native(self));
}

Tensor Tensor::any() const {
return at::any(*this);
}

Tensor& any_out(Tensor& out, const Tensor& self) {
return bridge::write(at::any(self), out);
}

Tensor& any_outf(const Tensor& self, Tensor& out) {
return at::any_out(out, self);
}

Tensor all(const Tensor& self, int64_t dim, bool keepdim) {
return minima::all(bridge::native(self), dim, keepdim);
}

Tensor Tensor::all(int64_t dim, bool keepdim) const {
return at::all(*this, dim, keepdim);
}

Tensor& all_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim) {
return bridge::write(at::all(self, dim, keepdim), out);
}

Tensor& all_outf(const Tensor& self, int64_t dim, bool keepdim, Tensor& out) {
return at::all_out(out, self, dim, keepdim);
}

Tensor any(const Tensor& self, int64_t dim, bool keepdim) {
return minima::any(bridge::native(self), dim, keepdim);
}

Tensor Tensor::any(int64_t dim, bool keepdim) const {
return at::any(*this, dim, keepdim);
}

Tensor& any_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim) {
return bridge::write(at::any(self, dim, keepdim), out);
}

Tensor& any_outf(const Tensor& self, int64_t dim, bool keepdim, Tensor& out) {
return at::any_out(out, self, dim, keepdim);
}

Tensor all(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
return minima::all(bridge::native(self), bridge::native(dim), keepdim);
}

Tensor Tensor::all(OptionalIntArrayRef dim, bool keepdim) const {
return at::all(*this, dim, keepdim);
}

Tensor& all_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
return bridge::write(at::all(self, dim, keepdim), out);
}

Tensor& all_outf(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, Tensor& out) {
return at::all_out(out, self, dim, keepdim);
}

Tensor any(const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
return minima::any(bridge::native(self), bridge::native(dim), keepdim);
}

Tensor Tensor::any(OptionalIntArrayRef dim, bool keepdim) const {
return at::any(*this, dim, keepdim);
}

Tensor& any_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool keepdim) {
return bridge::write(at::any(self, dim, keepdim), out);
}

Tensor& any_outf(const Tensor& self, OptionalIntArrayRef dim, bool keepdim, Tensor& out) {
return at::any_out(out, self, dim, keepdim);
}

Tensor max(const Tensor& self) {
return minima::max(bridge::native(self));
}

Tensor Tensor::max() const {
return at::max(*this);
}

Tensor& max_out(Tensor& out, const Tensor& self) {
return bridge::write(at::max(self), out);
}

Tensor& max_outf(const Tensor& self, Tensor& out) {
return at::max_out(out, self);
}

Tensor min(const Tensor& self) {
return minima::min(bridge::native(self));
}

Tensor Tensor::min() const {
return at::min(*this);
}

Tensor& min_out(Tensor& out, const Tensor& self) {
return bridge::write(at::min(self), out);
}

Tensor& min_outf(const Tensor& self, Tensor& out) {
return at::min_out(out, self);
}

Tensor median(const Tensor& self) {
return minima::median(bridge::native(self));
}

Tensor Tensor::median() const {
return at::median(*this);
}

Tensor& median_out(Tensor& out, const Tensor& self) {
return bridge::write(at::median(self), out);
}

Tensor& median_outf(const Tensor& self, Tensor& out) {
return at::median_out(out, self);
}

Tensor nanmedian(const Tensor& self) {
return minima::nanmedian(bridge::native(self));
}

Tensor Tensor::nanmedian() const {
return at::nanmedian(*this);
}

Tensor& nanmedian_out(Tensor& out, const Tensor& self) {
return bridge::write(at::nanmedian(self), out);
}

Tensor& nanmedian_outf(const Tensor& self, Tensor& out) {
return at::nanmedian_out(out, self);
}

std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, bool keepdim) {
return bridge::tuple2(minima::max(bridge::native(self), dim, keepdim));
}

std::tuple<Tensor, Tensor> Tensor::max(int64_t dim, bool keepdim) const {
return at::max(*this, dim, keepdim);
}

std::tuple<Tensor&, Tensor&> max_out(Tensor& out0, Tensor& out1, const Tensor& self, int64_t dim, bool keepdim) {
return bridge::write(at::max(self, dim, keepdim), out0, out1);
}

std::tuple<Tensor&, Tensor&> max_outf(const Tensor& self, int64_t dim, bool keepdim, Tensor& out0, Tensor& out1) {
return at::max_out(out0, out1, self, dim, keepdim);
}

std::tuple<Tensor, Tensor> min(const Tensor& self, int64_t dim, bool keepdim) {
return bridge::tuple2(minima::min(bridge::native(self), dim, keepdim));
}

std::tuple<Tensor, Tensor> Tensor::min(int64_t dim, bool keepdim) const {
return at::min(*this, dim, keepdim);
}

std::tuple<Tensor&, Tensor&> min_out(Tensor& out0, Tensor& out1, const Tensor& self, int64_t dim, bool keepdim) {
return bridge::write(at::min(self, dim, keepdim), out0, out1);
}

std::tuple<Tensor&, Tensor&> min_outf(const Tensor& self, int64_t dim, bool keepdim, Tensor& out0, Tensor& out1) {
return at::min_out(out0, out1, self, dim, keepdim);
}

std::tuple<Tensor, Tensor> median(const Tensor& self, int64_t dim, bool keepdim) {
return bridge::tuple2(minima::median(bridge::native(self), dim, keepdim));
}

std::tuple<Tensor, Tensor> Tensor::median(int64_t dim, bool keepdim) const {
return at::median(*this, dim, keepdim);
}

std::tuple<Tensor&, Tensor&> median_out(Tensor& out0, Tensor& out1, const Tensor& self, int64_t dim, bool keepdim) {
return bridge::write(at::median(self, dim, keepdim), out0, out1);
}

std::tuple<Tensor&, Tensor&> median_outf(const Tensor& self, int64_t dim, bool keepdim, Tensor& out0, Tensor& out1) {
return at::median_out(out0, out1, self, dim, keepdim);
}

std::tuple<Tensor, Tensor> nanmedian(const Tensor& self, int64_t dim, bool keepdim) {
return bridge::tuple2(minima::nanmedian(bridge::native(self), dim, keepdim));
}

std::tuple<Tensor, Tensor> Tensor::nanmedian(int64_t dim, bool keepdim) const {
return at::nanmedian(*this, dim, keepdim);
}

std::tuple<Tensor&, Tensor&> nanmedian_out(Tensor& out0, Tensor& out1, const Tensor& self, int64_t dim, bool keepdim) {
return bridge::write(at::nanmedian(self, dim, keepdim), out0, out1);
}

std::tuple<Tensor&, Tensor&> nanmedian_outf(const Tensor& self, int64_t dim, bool keepdim, Tensor& out0, Tensor& out1) {
return at::nanmedian_out(out0, out1, self, dim, keepdim);
}

Tensor max(const Tensor& self, const Tensor& other) {
return minima::maximum(bridge::native(self), bridge::native(other));
}

Tensor Tensor::max(const Tensor& other) const {
return at::max(*this, other);
}

Tensor& max_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::max(self, other), out);
}

Tensor& max_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::max_out(out, self, other);
}

Tensor min(const Tensor& self, const Tensor& other) {
return minima::minimum(bridge::native(self), bridge::native(other));
}

Tensor Tensor::min(const Tensor& other) const {
return at::min(*this, other);
}

Tensor& min_out(Tensor& out, const Tensor& self, const Tensor& other) {
return bridge::write(at::min(self, other), out);
}

Tensor& min_outf(const Tensor& self, const Tensor& other, Tensor& out) {
return at::min_out(out, self, other);
}

std::tuple<Tensor, Tensor> aminmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
return bridge::tuple2(minima::aminmax(bridge::native(self), bridge::shape(dim), keepdim));
}

std::tuple<Tensor, Tensor> Tensor::aminmax(std::optional<int64_t> dim, bool keepdim) const {
return at::aminmax(*this, dim, keepdim);
}

std::tuple<Tensor&, Tensor&> aminmax_out(Tensor& out0, Tensor& out1, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
return bridge::write(at::aminmax(self, dim, keepdim), out0, out1);
}

std::tuple<Tensor&, Tensor&> aminmax_outf(const Tensor& self, std::optional<int64_t> dim, bool keepdim, Tensor& out0, Tensor& out1) {
return at::aminmax_out(out0, out1, self, dim, keepdim);
}

Tensor argmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
return dim ? minima::argmax(bridge::native(self), *dim, keepdim) : bridge::kept(minima::argmax(bridge::native(self)), bridge::native(self), keepdim);
}

Tensor Tensor::argmax(std::optional<int64_t> dim, bool keepdim) const {
return at::argmax(*this, dim, keepdim);
}

Tensor& argmax_out(Tensor& out, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
return bridge::write(at::argmax(self, dim, keepdim), out);
}

Tensor& argmax_outf(const Tensor& self, std::optional<int64_t> dim, bool keepdim, Tensor& out) {
return at::argmax_out(out, self, dim, keepdim);
}

Tensor argmin(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
return dim ? minima::argmin(bridge::native(self), *dim, keepdim) : bridge::kept(minima::argmin(bridge::native(self)), bridge::native(self), keepdim);
}

Tensor Tensor::argmin(std::optional<int64_t> dim, bool keepdim) const {
return at::argmin(*this, dim, keepdim);
}

Tensor& argmin_out(Tensor& out, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
return bridge::write(at::argmin(self, dim, keepdim), out);
}

Tensor& argmin_outf(const Tensor& self, std::optional<int64_t> dim, bool keepdim, Tensor& out) {
return at::argmin_out(out, self, dim, keepdim);
}

std::tuple<Tensor, Tensor> mode(const Tensor& self, int64_t dim, bool keepdim) {
return bridge::tuple2(minima::mode(bridge::native(self), dim, keepdim));
}

std::tuple<Tensor, Tensor> Tensor::mode(int64_t dim, bool keepdim) const {
return at::mode(*this, dim, keepdim);
}

std::tuple<Tensor&, Tensor&> mode_out(Tensor& out0, Tensor& out1, const Tensor& self, int64_t dim, bool keepdim) {
return bridge::write(at::mode(self, dim, keepdim), out0, out1);
}

std::tuple<Tensor&, Tensor&> mode_outf(const Tensor& self, int64_t dim, bool keepdim, Tensor& out0, Tensor& out1) {
return at::mode_out(out0, out1, self, dim, keepdim);
}

std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, int64_t k, int64_t dim, bool keepdim) {
return bridge::tuple2(minima::kthvalue(bridge::native(self), k, dim, keepdim));
}

std::tuple<Tensor, Tensor> Tensor::kthvalue(int64_t k, int64_t dim, bool keepdim) const {
return at::kthvalue(*this, k, dim, keepdim);
}

std::tuple<Tensor&, Tensor&> kthvalue_out(Tensor& out0, Tensor& out1, const Tensor& self, int64_t k, int64_t dim, bool keepdim) {
return bridge::write(at::kthvalue(self, k, dim, keepdim), out0, out1);
}

std::tuple<Tensor&, Tensor&> kthvalue_outf(const Tensor& self, int64_t k, int64_t dim, bool keepdim, Tensor& out0, Tensor& out1) {
return at::kthvalue_out(out0, out1, self, k, dim, keepdim);
}

Tensor std(const Tensor& self, int dim) {
return minima::stddev(bridge::native(self), dim);
}

Tensor Tensor::std(int dim) const {
return at::std(*this, dim);
}

Tensor& std_out(Tensor& out, const Tensor& self, int dim) {
return bridge::write(at::std(self, dim), out);
}

Tensor& std_outf(const Tensor& self, int dim, Tensor& out) {
return at::std_out(out, self, dim);
}

Tensor var(const Tensor& self, int dim) {
return minima::var(bridge::native(self), dim);
}

Tensor Tensor::var(int dim) const {
return at::var(*this, dim);
}

Tensor& var_out(Tensor& out, const Tensor& self, int dim) {
return bridge::write(at::var(self, dim), out);
}

Tensor& var_outf(const Tensor& self, int dim, Tensor& out) {
return at::var_out(out, self, dim);
}

std::tuple<Tensor, Tensor> std_mean(const Tensor& self, int dim) {
return bridge::tuple2(minima::std_mean(bridge::native(self), dim));
}

std::tuple<Tensor&, Tensor&> std_mean_out(Tensor& out0, Tensor& out1, const Tensor& self, int dim) {
return bridge::write(at::std_mean(self, dim), out0, out1);
}

std::tuple<Tensor&, Tensor&> std_mean_outf(const Tensor& self, int dim, Tensor& out0, Tensor& out1) {
return at::std_mean_out(out0, out1, self, dim);
}

std::tuple<Tensor, Tensor> var_mean(const Tensor& self, int dim) {
return bridge::tuple2(minima::var_mean(bridge::native(self), dim));
}

std::tuple<Tensor&, Tensor&> var_mean_out(Tensor& out0, Tensor& out1, const Tensor& self, int dim) {
return bridge::write(at::var_mean(self, dim), out0, out1);
}

std::tuple<Tensor&, Tensor&> var_mean_outf(const Tensor& self, int dim, Tensor& out0, Tensor& out1) {
return at::var_mean_out(out0, out1, self, dim);
}

Tensor std(const Tensor& self, bool unbiased) {
return minima::stddev(bridge::native(self), {}, unbiased);
}

Tensor Tensor::std(bool unbiased) const {
return at::std(*this, unbiased);
}

Tensor& std_out(Tensor& out, const Tensor& self, bool unbiased) {
return bridge::write(at::std(self, unbiased), out);
}

Tensor& std_outf(const Tensor& self, bool unbiased, Tensor& out) {
return at::std_out(out, self, unbiased);
}

Tensor var(const Tensor& self, bool unbiased) {
return minima::var(bridge::native(self), {}, unbiased);
}

Tensor Tensor::var(bool unbiased) const {
return at::var(*this, unbiased);
}

Tensor& var_out(Tensor& out, const Tensor& self, bool unbiased) {
return bridge::write(at::var(self, unbiased), out);
}

Tensor& var_outf(const Tensor& self, bool unbiased, Tensor& out) {
return at::var_out(out, self, unbiased);
}

Tensor std(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
return minima::stddev(bridge::native(self), bridge::native(dim), unbiased, keepdim);
}

Tensor Tensor::std(OptionalIntArrayRef dim, bool unbiased, bool keepdim) const {
return at::std(*this, dim, unbiased, keepdim);
}

Tensor& std_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
return bridge::write(at::std(self, dim, unbiased, keepdim), out);
}

Tensor& std_outf(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim, Tensor& out) {
return at::std_out(out, self, dim, unbiased, keepdim);
}

Tensor var(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
return minima::var(bridge::native(self), bridge::native(dim), unbiased, keepdim);
}

Tensor Tensor::var(OptionalIntArrayRef dim, bool unbiased, bool keepdim) const {
return at::var(*this, dim, unbiased, keepdim);
}

Tensor& var_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
return bridge::write(at::var(self, dim, unbiased, keepdim), out);
}

Tensor& var_outf(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim, Tensor& out) {
return at::var_out(out, self, dim, unbiased, keepdim);
}

Tensor std(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) {
return minima::stddev(bridge::native(self), bridge::native(dim), bridge::number(bridge::native(correction), 1), keepdim);
}

Tensor Tensor::std(OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) const {
return at::std(*this, dim, correction, keepdim);
}

Tensor& std_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) {
return bridge::write(at::std(self, dim, correction, keepdim), out);
}

Tensor& std_outf(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim, Tensor& out) {
return at::std_out(out, self, dim, correction, keepdim);
}

Tensor var(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) {
return minima::var(bridge::native(self), bridge::native(dim), bridge::number(bridge::native(correction), 1), keepdim);
}

Tensor Tensor::var(OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) const {
return at::var(*this, dim, correction, keepdim);
}

Tensor& var_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) {
return bridge::write(at::var(self, dim, correction, keepdim), out);
}

Tensor& var_outf(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim, Tensor& out) {
return at::var_out(out, self, dim, correction, keepdim);
}

std::tuple<Tensor, Tensor> std_mean(const Tensor& self, bool unbiased) {
return bridge::tuple2(minima::std_mean(bridge::native(self), {}, unbiased));
}

std::tuple<Tensor&, Tensor&> std_mean_out(Tensor& out0, Tensor& out1, const Tensor& self, bool unbiased) {
return bridge::write(at::std_mean(self, unbiased), out0, out1);
}

std::tuple<Tensor&, Tensor&> std_mean_outf(const Tensor& self, bool unbiased, Tensor& out0, Tensor& out1) {
return at::std_mean_out(out0, out1, self, unbiased);
}

std::tuple<Tensor, Tensor> var_mean(const Tensor& self, bool unbiased) {
return bridge::tuple2(minima::var_mean(bridge::native(self), {}, unbiased));
}

std::tuple<Tensor&, Tensor&> var_mean_out(Tensor& out0, Tensor& out1, const Tensor& self, bool unbiased) {
return bridge::write(at::var_mean(self, unbiased), out0, out1);
}

std::tuple<Tensor&, Tensor&> var_mean_outf(const Tensor& self, bool unbiased, Tensor& out0, Tensor& out1) {
return at::var_mean_out(out0, out1, self, unbiased);
}

std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
return bridge::tuple2(minima::std_mean(bridge::native(self), bridge::native(dim), unbiased, keepdim));
}

std::tuple<Tensor&, Tensor&> std_mean_out(Tensor& out0, Tensor& out1, const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
return bridge::write(at::std_mean(self, dim, unbiased, keepdim), out0, out1);
}

std::tuple<Tensor&, Tensor&> std_mean_outf(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim, Tensor& out0, Tensor& out1) {
return at::std_mean_out(out0, out1, self, dim, unbiased, keepdim);
}

std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
return bridge::tuple2(minima::var_mean(bridge::native(self), bridge::native(dim), unbiased, keepdim));
}

std::tuple<Tensor&, Tensor&> var_mean_out(Tensor& out0, Tensor& out1, const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim) {
return bridge::write(at::var_mean(self, dim, unbiased, keepdim), out0, out1);
}

std::tuple<Tensor&, Tensor&> var_mean_outf(const Tensor& self, OptionalIntArrayRef dim, bool unbiased, bool keepdim, Tensor& out0, Tensor& out1) {
return at::var_mean_out(out0, out1, self, dim, unbiased, keepdim);
}

std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) {
return bridge::tuple2(minima::std_mean(bridge::native(self), bridge::native(dim), bridge::number(bridge::native(correction), 1), keepdim));
}

std::tuple<Tensor&, Tensor&> std_mean_out(Tensor& out0, Tensor& out1, const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) {
return bridge::write(at::std_mean(self, dim, correction, keepdim), out0, out1);
}

std::tuple<Tensor&, Tensor&> std_mean_outf(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim, Tensor& out0, Tensor& out1) {
return at::std_mean_out(out0, out1, self, dim, correction, keepdim);
}

std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) {
return bridge::tuple2(minima::var_mean(bridge::native(self), bridge::native(dim), bridge::number(bridge::native(correction), 1), keepdim));
}

std::tuple<Tensor&, Tensor&> var_mean_out(Tensor& out0, Tensor& out1, const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim) {
return bridge::write(at::var_mean(self, dim, correction, keepdim), out0, out1);
}

std::tuple<Tensor&, Tensor&> var_mean_outf(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim, Tensor& out0, Tensor& out1) {
return at::var_mean_out(out0, out1, self, dim, correction, keepdim);
}

Tensor norm(const Tensor& self, const std::optional<Scalar>& p, ScalarType dtype) {
return minima::norm(bridge::cast(bridge::native(self), bridge::native(dtype)), bridge::number(bridge::native(p), 2));
}

Tensor Tensor::norm(const std::optional<Scalar>& p, ScalarType dtype) const {
return at::norm(*this, p, dtype);
}

Tensor& norm_out(Tensor& out, const Tensor& self, const std::optional<Scalar>& p, ScalarType dtype) {
return bridge::write(at::norm(self, p, dtype), out);
}

Tensor& norm_outf(const Tensor& self, const std::optional<Scalar>& p, ScalarType dtype, Tensor& out) {
return at::norm_out(out, self, p, dtype);
}

Tensor norm(const Tensor& self, const Scalar& p) {
return minima::norm(bridge::native(self), bridge::native(p).to<double>());
}

Tensor Tensor::norm(const Scalar& p) const {
return at::norm(*this, p);
}

Tensor& norm_out(Tensor& out, const Tensor& self, const Scalar& p) {
return bridge::write(at::norm(self, p), out);
}

Tensor& norm_outf(const Tensor& self, const Scalar& p, Tensor& out) {
return at::norm_out(out, self, p);
}

Tensor norm(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim, ScalarType dtype) {
return minima::norm(bridge::cast(bridge::native(self), bridge::native(dtype)), bridge::number(bridge::native(p), 2), bridge::native(dim), keepdim);
}

Tensor Tensor::norm(const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim, ScalarType dtype) const {
return at::norm(*this, p, dim, keepdim, dtype);
}

Tensor& norm_out(Tensor& out, const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim, ScalarType dtype) {
return bridge::write(at::norm(self, p, dim, keepdim, dtype), out);
}

Tensor& norm_outf(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim, ScalarType dtype, Tensor& out) {
return at::norm_out(out, self, p, dim, keepdim, dtype);
}

Tensor norm(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim) {
return minima::norm(bridge::native(self), bridge::number(bridge::native(p), 2), bridge::native(dim), keepdim);
}

Tensor Tensor::norm(const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim) const {
return at::norm(*this, p, dim, keepdim);
}

Tensor& norm_out(Tensor& out, const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim) {
return bridge::write(at::norm(self, p, dim, keepdim), out);
}

Tensor& norm_outf(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim, Tensor& out) {
return at::norm_out(out, self, p, dim, keepdim);
}

Tensor frobenius_norm(const Tensor& self, IntArrayRef dim, bool keepdim) {
return minima::norm(bridge::native(self), 2, bridge::native(dim), keepdim);
}

Tensor& frobenius_norm_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim) {
return bridge::write(at::frobenius_norm(self, dim, keepdim), out);
}

Tensor& frobenius_norm_outf(const Tensor& self, IntArrayRef dim, bool keepdim, Tensor& out) {
return at::frobenius_norm_out(out, self, dim, keepdim);
}

Tensor nuclear_norm(const Tensor& self, bool keepdim) {
return minima::linalg::matrix_norm(bridge::native(self), bridge::nuclear, {-2, -1}, keepdim);
}

Tensor& nuclear_norm_out(Tensor& out, const Tensor& self, bool keepdim) {
return bridge::write(at::nuclear_norm(self, keepdim), out);
}

Tensor& nuclear_norm_outf(const Tensor& self, bool keepdim, Tensor& out) {
return at::nuclear_norm_out(out, self, keepdim);
}

Tensor nuclear_norm(const Tensor& self, IntArrayRef dim, bool keepdim) {
return minima::linalg::matrix_norm(bridge::native(self), bridge::nuclear, bridge::native(dim), keepdim);
}

Tensor& nuclear_norm_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim) {
return bridge::write(at::nuclear_norm(self, dim, keepdim), out);
}

Tensor& nuclear_norm_outf(const Tensor& self, IntArrayRef dim, bool keepdim, Tensor& out) {
return at::nuclear_norm_out(out, self, dim, keepdim);
}

Tensor norm_except_dim(const Tensor& v, int64_t pow, int64_t dim) {
return bridge::norm_except_dim(bridge::native(v), pow, dim);
}

Tensor& norm_except_dim_out(Tensor& out, const Tensor& v, int64_t pow, int64_t dim) {
return bridge::write(at::norm_except_dim(v, pow, dim), out);
}

Tensor& norm_except_dim_outf(const Tensor& v, int64_t pow, int64_t dim, Tensor& out) {
return at::norm_except_dim_out(out, v, pow, dim);
}

Tensor renorm(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
return minima::renorm(bridge::native(self), bridge::native(p).to<double>(), dim, bridge::native(maxnorm).to<double>());
}

Tensor Tensor::renorm(const Scalar& p, int64_t dim, const Scalar& maxnorm) const {
return at::renorm(*this, p, dim, maxnorm);
}

Tensor& renorm_(Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
torch::autograd::check_inplace(self);
return bridge::change("renorm_", self, [&](const Tensor& self) { return at::renorm(self, p, dim, maxnorm); });
}

Tensor& Tensor::renorm_(const Scalar& p, int64_t dim, const Scalar& maxnorm) const {
return at::renorm_(const_cast<Tensor&>(*this), p, dim, maxnorm);
}

Tensor& renorm_out(Tensor& out, const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
return bridge::write(at::renorm(self, p, dim, maxnorm), out);
}

Tensor& renorm_outf(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm, Tensor& out) {
return at::renorm_out(out, self, p, dim, maxnorm);
}

Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p) {
return minima::dist(bridge::native(self), bridge::native(other), bridge::native(p).to<double>());
}

Tensor Tensor::dist(const Tensor& other, const Scalar& p) const {
return at::dist(*this, other, p);
}

Tensor& dist_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& p) {
return bridge::write(at::dist(self, other, p), out);
}

Tensor& dist_outf(const Tensor& self, const Tensor& other, const Scalar& p, Tensor& out) {
return at::dist_out(out, self, other, p);
}

Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim) {
return minima::logsumexp(bridge::native(self), bridge::native(dim), keepdim);
}

Tensor Tensor::logsumexp(IntArrayRef dim, bool keepdim) const {
return at::logsumexp(*this, dim, keepdim);
}

Tensor& logsumexp_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim) {
return bridge::write(at::logsumexp(self, dim, keepdim), out);
}

Tensor& logsumexp_outf(const Tensor& self, IntArrayRef dim, bool keepdim, Tensor& out) {
return at::logsumexp_out(out, self, dim, keepdim);
}

Tensor count_nonzero(const Tensor& self, IntArrayRef dim) {
return minima::count_nonzero(bridge::native(self), bridge::native(dim));
}

Tensor Tensor::count_nonzero(IntArrayRef dim) const {
return at::count_nonzero(*this, dim);
}

Tensor& count_nonzero_out(Tensor& out, const Tensor& self, IntArrayRef dim) {
return bridge::write(at::count_nonzero(self, dim), out);
}

Tensor& count_nonzero_outf(const Tensor& self, IntArrayRef dim, Tensor& out) {
return at::count_nonzero_out(out, self, dim);
}

Tensor count_nonzero(const Tensor& self, std::optional<int64_t> dim) {
return minima::count_nonzero(bridge::native(self), bridge::shape(dim));
}

Tensor Tensor::count_nonzero(std::optional<int64_t> dim) const {
return at::count_nonzero(*this, dim);
}

Tensor& count_nonzero_out(Tensor& out, const Tensor& self, std::optional<int64_t> dim) {
return bridge::write(at::count_nonzero(self, dim), out);
}

Tensor& count_nonzero_outf(const Tensor& self, std::optional<int64_t> dim, Tensor& out) {
return at::count_nonzero_out(out, self, dim);
}

Tensor cov(const Tensor& self, int64_t correction, const std::optional<Tensor>& fweights, const std::optional<Tensor>& aweights) {
return minima::cov(bridge::native(self), {.correction = static_cast<double>(correction), .fweights = bridge::native(fweights), .aweights = bridge::native(aweights)});
}

Tensor Tensor::cov(int64_t correction, const std::optional<Tensor>& fweights, const std::optional<Tensor>& aweights) const {
return at::cov(*this, correction, fweights, aweights);
}

Tensor& cov_out(Tensor& out, const Tensor& self, int64_t correction, const std::optional<Tensor>& fweights, const std::optional<Tensor>& aweights) {
return bridge::write(at::cov(self, correction, fweights, aweights), out);
}

Tensor& cov_outf(const Tensor& self, int64_t correction, const std::optional<Tensor>& fweights, const std::optional<Tensor>& aweights, Tensor& out) {
return at::cov_out(out, self, correction, fweights, aweights);
}

Tensor corrcoef(const Tensor& self) {
return minima::corrcoef(bridge::native(self));
}

Tensor Tensor::corrcoef() const {
return at::corrcoef(*this);
}

Tensor& corrcoef_out(Tensor& out, const Tensor& self) {
return bridge::write(at::corrcoef(self), out);
}

Tensor& corrcoef_outf(const Tensor& self, Tensor& out) {
return at::corrcoef_out(out, self);
}

Tensor softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
return minima::softmax(bridge::cast(bridge::native(self), bridge::native(dtype)), dim);
}

Tensor Tensor::softmax(int64_t dim, std::optional<ScalarType> dtype) const {
return at::softmax(*this, dim, dtype);
}

Tensor& softmax_out(Tensor& out, const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
return bridge::write(at::softmax(self, dim, dtype), out);
}

Tensor& softmax_outf(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype, Tensor& out) {
return at::softmax_out(out, self, dim, dtype);
}

Tensor log_softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
return minima::log_softmax(bridge::cast(bridge::native(self), bridge::native(dtype)), dim);
}

Tensor Tensor::log_softmax(int64_t dim, std::optional<ScalarType> dtype) const {
return at::log_softmax(*this, dim, dtype);
}

Tensor& log_softmax_out(Tensor& out, const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
return bridge::write(at::log_softmax(self, dim, dtype), out);
}

Tensor& log_softmax_outf(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype, Tensor& out) {
return at::log_softmax_out(out, self, dim, dtype);
}

Tensor _softmax(const Tensor& self, int64_t dim, bool half_to_float) {
return minima::softmax(bridge::widened(bridge::native(self), half_to_float), dim);
}

Tensor _log_softmax(const Tensor& self, int64_t dim, bool half_to_float) {
return minima::log_softmax(bridge::widened(bridge::native(self), half_to_float), dim);
}

Tensor cumsum(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
return minima::cumsum(bridge::cast(bridge::native(self), bridge::native(dtype)), dim);
}

Tensor Tensor::cumsum(int64_t dim, std::optional<ScalarType> dtype) const {
return at::cumsum(*this, dim, dtype);
}

Tensor& cumsum_(Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
torch::autograd::check_inplace(self);
return bridge::change("cumsum_", self, [&](const Tensor& self) { return at::cumsum(self, dim, dtype); });
}

Tensor& Tensor::cumsum_(int64_t dim, std::optional<ScalarType> dtype) const {
return at::cumsum_(const_cast<Tensor&>(*this), dim, dtype);
}

Tensor& cumsum_out(Tensor& out, const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
return bridge::write(at::cumsum(self, dim, dtype), out);
}

Tensor& cumsum_outf(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype, Tensor& out) {
return at::cumsum_out(out, self, dim, dtype);
}

Tensor cumprod(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
return minima::cumprod(bridge::cast(bridge::native(self), bridge::native(dtype)), dim);
}

Tensor Tensor::cumprod(int64_t dim, std::optional<ScalarType> dtype) const {
return at::cumprod(*this, dim, dtype);
}

Tensor& cumprod_(Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
torch::autograd::check_inplace(self);
return bridge::change("cumprod_", self, [&](const Tensor& self) { return at::cumprod(self, dim, dtype); });
}

Tensor& Tensor::cumprod_(int64_t dim, std::optional<ScalarType> dtype) const {
return at::cumprod_(const_cast<Tensor&>(*this), dim, dtype);
}

Tensor& cumprod_out(Tensor& out, const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
return bridge::write(at::cumprod(self, dim, dtype), out);
}

Tensor& cumprod_outf(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype, Tensor& out) {
return at::cumprod_out(out, self, dim, dtype);
}

std::tuple<Tensor, Tensor> cummax(const Tensor& self, int64_t dim) {
return bridge::tuple2(minima::cummax(bridge::native(self), dim));
}

std::tuple<Tensor, Tensor> Tensor::cummax(int64_t dim) const {
return at::cummax(*this, dim);
}

std::tuple<Tensor&, Tensor&> cummax_out(Tensor& out0, Tensor& out1, const Tensor& self, int64_t dim) {
return bridge::write(at::cummax(self, dim), out0, out1);
}

std::tuple<Tensor&, Tensor&> cummax_outf(const Tensor& self, int64_t dim, Tensor& out0, Tensor& out1) {
return at::cummax_out(out0, out1, self, dim);
}

std::tuple<Tensor, Tensor> cummin(const Tensor& self, int64_t dim) {
return bridge::tuple2(minima::cummin(bridge::native(self), dim));
}

std::tuple<Tensor, Tensor> Tensor::cummin(int64_t dim) const {
return at::cummin(*this, dim);
}

std::tuple<Tensor&, Tensor&> cummin_out(Tensor& out0, Tensor& out1, const Tensor& self, int64_t dim) {
return bridge::write(at::cummin(self, dim), out0, out1);
}

std::tuple<Tensor&, Tensor&> cummin_outf(const Tensor& self, int64_t dim, Tensor& out0, Tensor& out1) {
return at::cummin_out(out0, out1, self, dim);
}

Tensor logcumsumexp(const Tensor& self, int64_t dim) {
return minima::logcumsumexp(bridge::native(self), dim);
}

Tensor Tensor::logcumsumexp(int64_t dim) const {
return at::logcumsumexp(*this, dim);
}

Tensor& logcumsumexp_out(Tensor& out, const Tensor& self, int64_t dim) {
return bridge::write(at::logcumsumexp(self, dim), out);
}

Tensor& logcumsumexp_outf(const Tensor& self, int64_t dim, Tensor& out) {
return at::logcumsumexp_out(out, self, dim);
}

Tensor diff(const Tensor& self, int64_t n, int64_t dim, const std::optional<Tensor>& prepend, const std::optional<Tensor>& append) {
return minima::diff(bridge::native(self), {.times = n, .dim = dim, .prepend = bridge::native(prepend), .append = bridge::native(append)});
}

Tensor Tensor::diff(int64_t n, int64_t dim, const std::optional<Tensor>& prepend, const std::optional<Tensor>& append) const {
return at::diff(*this, n, dim, prepend, append);
}

Tensor& diff_out(Tensor& out, const Tensor& self, int64_t n, int64_t dim, const std::optional<Tensor>& prepend, const std::optional<Tensor>& append) {
return bridge::write(at::diff(self, n, dim, prepend, append), out);
}

Tensor& diff_outf(const Tensor& self, int64_t n, int64_t dim, const std::optional<Tensor>& prepend, const std::optional<Tensor>& append, Tensor& out) {
return at::diff_out(out, self, n, dim, prepend, append);
}

std::vector<Tensor> gradient(const Tensor& self, const std::optional<Scalar>& spacing, std::optional<int64_t> dim, int64_t edge_order) {
return bridge::list(minima::gradient(bridge::native(self), bridge::slope(bridge::shape(dim), bridge::native(spacing), edge_order)));
}

std::vector<Tensor> gradient(const Tensor& self, const Scalar& spacing, IntArrayRef dim, int64_t edge_order) {
return bridge::list(minima::gradient(bridge::native(self), bridge::slope(bridge::native(dim), bridge::native(spacing), edge_order)));
}

std::vector<Tensor> gradient(const Tensor& self, ArrayRef<Scalar> spacing, std::optional<int64_t> dim, int64_t edge_order) {
return bridge::list(minima::gradient(bridge::native(self), bridge::slope(bridge::shape(dim), spacing, edge_order)));
}

std::vector<Tensor> gradient(const Tensor& self, ArrayRef<Scalar> spacing, IntArrayRef dim, int64_t edge_order) {
return bridge::list(minima::gradient(bridge::native(self), bridge::slope(bridge::native(dim), spacing, edge_order)));
}

std::vector<Tensor> gradient(const Tensor& self, IntArrayRef dim, int64_t edge_order) {
return bridge::list(minima::gradient(bridge::native(self), bridge::slope(bridge::native(dim), std::nullopt, edge_order)));
}

Tensor trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
return minima::trapezoid(bridge::native(y), bridge::native(x), dim);
}

Tensor& trapezoid_out(Tensor& out, const Tensor& y, const Tensor& x, int64_t dim) {
return bridge::write(at::trapezoid(y, x, dim), out);
}

Tensor& trapezoid_outf(const Tensor& y, const Tensor& x, int64_t dim, Tensor& out) {
return at::trapezoid_out(out, y, x, dim);
}

Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
return minima::cumulative_trapezoid(bridge::native(y), bridge::native(x), dim);
}

Tensor& cumulative_trapezoid_out(Tensor& out, const Tensor& y, const Tensor& x, int64_t dim) {
return bridge::write(at::cumulative_trapezoid(y, x, dim), out);
}

Tensor& cumulative_trapezoid_outf(const Tensor& y, const Tensor& x, int64_t dim, Tensor& out) {
return at::cumulative_trapezoid_out(out, y, x, dim);
}

Tensor trapezoid(const Tensor& y, const Scalar& dx, int64_t dim) {
return minima::trapezoid(bridge::native(y), bridge::native(dx).to<double>(), dim);
}

Tensor& trapezoid_out(Tensor& out, const Tensor& y, const Scalar& dx, int64_t dim) {
return bridge::write(at::trapezoid(y, dx, dim), out);
}

Tensor& trapezoid_outf(const Tensor& y, const Scalar& dx, int64_t dim, Tensor& out) {
return at::trapezoid_out(out, y, dx, dim);
}

Tensor cumulative_trapezoid(const Tensor& y, const Scalar& dx, int64_t dim) {
return minima::cumulative_trapezoid(bridge::native(y), bridge::native(dx).to<double>(), dim);
}

Tensor& cumulative_trapezoid_out(Tensor& out, const Tensor& y, const Scalar& dx, int64_t dim) {
return bridge::write(at::cumulative_trapezoid(y, dx, dim), out);
}

Tensor& cumulative_trapezoid_outf(const Tensor& y, const Scalar& dx, int64_t dim, Tensor& out) {
return at::cumulative_trapezoid_out(out, y, dx, dim);
}

Tensor trapz(const Tensor& y, const Tensor& x, int64_t dim) {
return minima::trapezoid(bridge::native(y), bridge::native(x), dim);
}

Tensor& trapz_out(Tensor& out, const Tensor& y, const Tensor& x, int64_t dim) {
return bridge::write(at::trapz(y, x, dim), out);
}

Tensor& trapz_outf(const Tensor& y, const Tensor& x, int64_t dim, Tensor& out) {
return at::trapz_out(out, y, x, dim);
}

Tensor trapz(const Tensor& y, double dx, int64_t dim) {
return minima::trapezoid(bridge::native(y), dx, dim);
}

Tensor& trapz_out(Tensor& out, const Tensor& y, double dx, int64_t dim) {
return bridge::write(at::trapz(y, dx, dim), out);
}

Tensor& trapz_outf(const Tensor& y, double dx, int64_t dim, Tensor& out) {
return at::trapz_out(out, y, dx, dim);
}

Tensor bincount(const Tensor& self, const std::optional<Tensor>& weights, int64_t minlength) {
return bridge::native(weights).defined() ? minima::bincount(bridge::native(self), bridge::native(weights), minlength) : minima::bincount(bridge::native(self), minlength);
}

Tensor Tensor::bincount(const std::optional<Tensor>& weights, int64_t minlength) const {
return at::bincount(*this, weights, minlength);
}

Tensor& bincount_out(Tensor& out, const Tensor& self, const std::optional<Tensor>& weights, int64_t minlength) {
return bridge::write(at::bincount(self, weights, minlength), out);
}

Tensor& bincount_outf(const Tensor& self, const std::optional<Tensor>& weights, int64_t minlength, Tensor& out) {
return at::bincount_out(out, self, weights, minlength);
}

Tensor histc(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
return minima::histc(bridge::native(self), bins, bridge::native(min).to<double>(), bridge::native(max).to<double>());
}

Tensor Tensor::histc(int64_t bins, const Scalar& min, const Scalar& max) const {
return at::histc(*this, bins, min, max);
}

Tensor& histc_out(Tensor& out, const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
return bridge::write(at::histc(self, bins, min, max), out);
}

Tensor& histc_outf(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max, Tensor& out) {
return at::histc_out(out, self, bins, min, max);
}

std::tuple<Tensor, Tensor> histogram(const Tensor& self, const Tensor& bins, const std::optional<Tensor>& weight, bool density) {
return bridge::tuple2(minima::histogram(bridge::native(self), bridge::native(bins), {.weight = bridge::native(weight), .density = density}));
}

std::tuple<Tensor, Tensor> Tensor::histogram(const Tensor& bins, const std::optional<Tensor>& weight, bool density) const {
return at::histogram(*this, bins, weight, density);
}

std::tuple<Tensor&, Tensor&> histogram_out(Tensor& out0, Tensor& out1, const Tensor& self, const Tensor& bins, const std::optional<Tensor>& weight, bool density) {
return bridge::write(at::histogram(self, bins, weight, density), out0, out1);
}

std::tuple<Tensor&, Tensor&> histogram_outf(const Tensor& self, const Tensor& bins, const std::optional<Tensor>& weight, bool density, Tensor& out0, Tensor& out1) {
return at::histogram_out(out0, out1, self, bins, weight, density);
}

std::tuple<Tensor, Tensor> histogram(const Tensor& self, int64_t bins, std::optional<ArrayRef<double>> range, const std::optional<Tensor>& weight, bool density) {
return bridge::tuple2(minima::histogram(bridge::native(self), bins, {.range = bridge::range(range), .weight = bridge::native(weight), .density = density}));
}

std::tuple<Tensor, Tensor> Tensor::histogram(int64_t bins, std::optional<ArrayRef<double>> range, const std::optional<Tensor>& weight, bool density) const {
return at::histogram(*this, bins, range, weight, density);
}

std::tuple<Tensor&, Tensor&> histogram_out(Tensor& out0, Tensor& out1, const Tensor& self, int64_t bins, std::optional<ArrayRef<double>> range, const std::optional<Tensor>& weight, bool density) {
return bridge::write(at::histogram(self, bins, range, weight, density), out0, out1);
}

std::tuple<Tensor&, Tensor&> histogram_outf(const Tensor& self, int64_t bins, std::optional<ArrayRef<double>> range, const std::optional<Tensor>& weight, bool density, Tensor& out0, Tensor& out1) {
return at::histogram_out(out0, out1, self, bins, range, weight, density);
}

std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& self, IntArrayRef bins, std::optional<ArrayRef<double>> range, const std::optional<Tensor>& weight, bool density) {
return bridge::histogramdd(bridge::native(self), bridge::vector(bridge::native(bins)), range, bridge::native(weight), density);
}

std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& self, int64_t bins, std::optional<ArrayRef<double>> range, const std::optional<Tensor>& weight, bool density) {
return bridge::histogramdd(bridge::native(self), std::vector(static_cast<std::size_t>(bridge::native(self).size(-1)), bins), range, bridge::native(weight), density);
}

std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& self, TensorList bins, std::optional<ArrayRef<double>>, const std::optional<Tensor>& weight, bool density) {
return bridge::histogramdd_between(bridge::native(self), bridge::native(bins), bridge::native(weight), density);
}

Tensor segment_reduce(const Tensor& data, std::string_view reduce, const std::optional<Tensor>& lengths, const std::optional<Tensor>& indices, const std::optional<Tensor>& offsets, int64_t axis, bool unsafe, const std::optional<Scalar>& initial) {
return bridge::segment_reduce(bridge::native(data), reduce, bridge::native(lengths), bridge::native(indices), bridge::native(offsets), axis, unsafe, bridge::native(initial));
}

Tensor& segment_reduce_out(Tensor& out, const Tensor& data, std::string_view reduce, const std::optional<Tensor>& lengths, const std::optional<Tensor>& indices, const std::optional<Tensor>& offsets, int64_t axis, bool unsafe, const std::optional<Scalar>& initial) {
return bridge::write(at::segment_reduce(data, reduce, lengths, indices, offsets, axis, unsafe, initial), out);
}

Tensor& segment_reduce_outf(const Tensor& data, std::string_view reduce, const std::optional<Tensor>& lengths, const std::optional<Tensor>& indices, const std::optional<Tensor>& offsets, int64_t axis, bool unsafe, const std::optional<Scalar>& initial, Tensor& out) {
return at::segment_reduce_out(out, data, reduce, lengths, indices, offsets, axis, unsafe, initial);
}

std::tuple<Tensor, Tensor> sort(const Tensor& self, int64_t dim, bool descending) {
return bridge::tuple2(minima::sort(bridge::native(self), dim, descending));
}

std::tuple<Tensor, Tensor> Tensor::sort(int64_t dim, bool descending) const {
return at::sort(*this, dim, descending);
}

std::tuple<Tensor&, Tensor&> sort_out(Tensor& out0, Tensor& out1, const Tensor& self, int64_t dim, bool descending) {
return bridge::write(at::sort(self, dim, descending), out0, out1);
}

std::tuple<Tensor&, Tensor&> sort_outf(const Tensor& self, int64_t dim, bool descending, Tensor& out0, Tensor& out1) {
return at::sort_out(out0, out1, self, dim, descending);
}

std::tuple<Tensor, Tensor> sort(const Tensor& self, std::optional<bool>, int64_t dim, bool descending) {
return bridge::tuple2(minima::sort(bridge::native(self), dim, descending));
}

std::tuple<Tensor, Tensor> Tensor::sort(std::optional<bool> stable, int64_t dim, bool descending) const {
return at::sort(*this, stable, dim, descending);
}

std::tuple<Tensor&, Tensor&> sort_out(Tensor& out0, Tensor& out1, const Tensor& self, std::optional<bool> stable, int64_t dim, bool descending) {
return bridge::write(at::sort(self, stable, dim, descending), out0, out1);
}

std::tuple<Tensor&, Tensor&> sort_outf(const Tensor& self, std::optional<bool> stable, int64_t dim, bool descending, Tensor& out0, Tensor& out1) {
return at::sort_out(out0, out1, self, stable, dim, descending);
}

Tensor argsort(const Tensor& self, int64_t dim, bool descending) {
return minima::argsort(bridge::native(self), dim, descending);
}

Tensor Tensor::argsort(int64_t dim, bool descending) const {
return at::argsort(*this, dim, descending);
}

Tensor& argsort_out(Tensor& out, const Tensor& self, int64_t dim, bool descending) {
return bridge::write(at::argsort(self, dim, descending), out);
}

Tensor& argsort_outf(const Tensor& self, int64_t dim, bool descending, Tensor& out) {
return at::argsort_out(out, self, dim, descending);
}

Tensor argsort(const Tensor& self, bool, int64_t dim, bool descending) {
return minima::argsort(bridge::native(self), dim, descending);
}

Tensor Tensor::argsort(bool stable, int64_t dim, bool descending) const {
return at::argsort(*this, stable, dim, descending);
}

Tensor& argsort_out(Tensor& out, const Tensor& self, bool stable, int64_t dim, bool descending) {
return bridge::write(at::argsort(self, stable, dim, descending), out);
}

Tensor& argsort_outf(const Tensor& self, bool stable, int64_t dim, bool descending, Tensor& out) {
return at::argsort_out(out, self, stable, dim, descending);
}

Tensor msort(const Tensor& self) {
return minima::sort(bridge::native(self), 0).values;
}

Tensor Tensor::msort() const {
return at::msort(*this);
}

Tensor& msort_out(Tensor& out, const Tensor& self) {
return bridge::write(at::msort(self), out);
}

Tensor& msort_outf(const Tensor& self, Tensor& out) {
return at::msort_out(out, self);
}

std::tuple<Tensor, Tensor> topk(const Tensor& self, int64_t k, int64_t dim, bool largest, bool) {
return bridge::tuple2(minima::topk(bridge::native(self), k, dim, largest));
}

std::tuple<Tensor, Tensor> Tensor::topk(int64_t k, int64_t dim, bool largest, bool sorted) const {
return at::topk(*this, k, dim, largest, sorted);
}

std::tuple<Tensor&, Tensor&> topk_out(Tensor& out0, Tensor& out1, const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted) {
return bridge::write(at::topk(self, k, dim, largest, sorted), out0, out1);
}

std::tuple<Tensor&, Tensor&> topk_outf(const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted, Tensor& out0, Tensor& out1) {
return at::topk_out(out0, out1, self, k, dim, largest, sorted);
}

Tensor quantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) {
return bridge::quantile(bridge::native(self), bridge::native(q), dim, keepdim, interpolation, false);
}

Tensor Tensor::quantile(const Tensor& q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) const {
return at::quantile(*this, q, dim, keepdim, interpolation);
}

Tensor& quantile_out(Tensor& out, const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) {
return bridge::write(at::quantile(self, q, dim, keepdim, interpolation), out);
}

Tensor& quantile_outf(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation, Tensor& out) {
return at::quantile_out(out, self, q, dim, keepdim, interpolation);
}

Tensor quantile(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) {
return bridge::quantile(bridge::native(self), bridge::like(bridge::native(self), q), dim, keepdim, interpolation, false);
}

Tensor Tensor::quantile(double q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) const {
return at::quantile(*this, q, dim, keepdim, interpolation);
}

Tensor& quantile_out(Tensor& out, const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) {
return bridge::write(at::quantile(self, q, dim, keepdim, interpolation), out);
}

Tensor& quantile_outf(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation, Tensor& out) {
return at::quantile_out(out, self, q, dim, keepdim, interpolation);
}

Tensor nanquantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) {
return bridge::quantile(bridge::native(self), bridge::native(q), dim, keepdim, interpolation, true);
}

Tensor Tensor::nanquantile(const Tensor& q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) const {
return at::nanquantile(*this, q, dim, keepdim, interpolation);
}

Tensor& nanquantile_out(Tensor& out, const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) {
return bridge::write(at::nanquantile(self, q, dim, keepdim, interpolation), out);
}

Tensor& nanquantile_outf(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation, Tensor& out) {
return at::nanquantile_out(out, self, q, dim, keepdim, interpolation);
}

Tensor nanquantile(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) {
return bridge::quantile(bridge::native(self), bridge::like(bridge::native(self), q), dim, keepdim, interpolation, true);
}

Tensor Tensor::nanquantile(double q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) const {
return at::nanquantile(*this, q, dim, keepdim, interpolation);
}

Tensor& nanquantile_out(Tensor& out, const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation) {
return bridge::write(at::nanquantile(self, q, dim, keepdim, interpolation), out);
}

Tensor& nanquantile_outf(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim, std::string_view interpolation, Tensor& out) {
return at::nanquantile_out(out, self, q, dim, keepdim, interpolation);
}

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right, std::optional<std::string_view> side, const std::optional<Tensor>& sorter) {
return bridge::searchsorted(bridge::native(sorted_sequence), bridge::native(self), out_int32, right, side, bridge::native(sorter));
}

Tensor& searchsorted_out(Tensor& out, const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right, std::optional<std::string_view> side, const std::optional<Tensor>& sorter) {
return bridge::write(at::searchsorted(sorted_sequence, self, out_int32, right, side, sorter), out);
}

Tensor& searchsorted_outf(const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right, std::optional<std::string_view> side, const std::optional<Tensor>& sorter, Tensor& out) {
return at::searchsorted_out(out, sorted_sequence, self, out_int32, right, side, sorter);
}

Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& self, bool out_int32, bool right, std::optional<std::string_view> side, const std::optional<Tensor>& sorter) {
return bridge::searchsorted(bridge::native(sorted_sequence), bridge::like(bridge::native(sorted_sequence), bridge::native(self)), out_int32, right, side, bridge::native(sorter));
}

Tensor& searchsorted_out(Tensor& out, const Tensor& sorted_sequence, const Scalar& self, bool out_int32, bool right, std::optional<std::string_view> side, const std::optional<Tensor>& sorter) {
return bridge::write(at::searchsorted(sorted_sequence, self, out_int32, right, side, sorter), out);
}

Tensor& searchsorted_outf(const Tensor& sorted_sequence, const Scalar& self, bool out_int32, bool right, std::optional<std::string_view> side, const std::optional<Tensor>& sorter, Tensor& out) {
return at::searchsorted_out(out, sorted_sequence, self, out_int32, right, side, sorter);
}

Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
return bridge::searchsorted(bridge::native(boundaries), bridge::native(self), out_int32, right, {}, {});
}

Tensor& bucketize_out(Tensor& out, const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
return bridge::write(at::bucketize(self, boundaries, out_int32, right), out);
}

Tensor& bucketize_outf(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right, Tensor& out) {
return at::bucketize_out(out, self, boundaries, out_int32, right);
}

Tensor bucketize(const Scalar& self, const Tensor& boundaries, bool out_int32, bool right) {
return bridge::searchsorted(bridge::native(boundaries), bridge::like(bridge::native(boundaries), bridge::native(self)), out_int32, right, {}, {});
}

Tensor& bucketize_out(Tensor& out, const Scalar& self, const Tensor& boundaries, bool out_int32, bool right) {
return bridge::write(at::bucketize(self, boundaries, out_int32, right), out);
}

Tensor& bucketize_outf(const Scalar& self, const Tensor& boundaries, bool out_int32, bool right, Tensor& out) {
return at::bucketize_out(out, self, boundaries, out_int32, right);
}

std::tuple<Tensor, Tensor> _unique(const Tensor& self, bool, bool return_inverse) {
return bridge::first_two(minima::unique(bridge::native(self)), return_inverse);
}

std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor& self, bool, bool return_inverse, bool return_counts) {
return bridge::unique(minima::unique(bridge::native(self)), return_inverse, return_counts);
}

std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& self, int64_t dim, bool, bool return_inverse, bool return_counts) {
return bridge::unique(minima::unique(bridge::native(self), dim), return_inverse, return_counts);
}

std::tuple<Tensor&, Tensor&, Tensor&> unique_dim_out(Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& self, int64_t dim, bool sorted, bool return_inverse, bool return_counts) {
return bridge::write(at::unique_dim(self, dim, sorted, return_inverse, return_counts), out0, out1, out2);
}

std::tuple<Tensor&, Tensor&, Tensor&> unique_dim_outf(const Tensor& self, int64_t dim, bool sorted, bool return_inverse, bool return_counts, Tensor& out0, Tensor& out1, Tensor& out2) {
return at::unique_dim_out(out0, out1, out2, self, dim, sorted, return_inverse, return_counts);
}

std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& self, bool return_inverse, bool return_counts, std::optional<int64_t> dim) {
return bridge::unique(dim ? minima::unique_consecutive(bridge::native(self), *dim) : minima::unique_consecutive(bridge::native(self)), return_inverse, return_counts);
}

std::tuple<Tensor&, Tensor&, Tensor&> unique_consecutive_out(Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& self, bool return_inverse, bool return_counts, std::optional<int64_t> dim) {
return bridge::write(at::unique_consecutive(self, return_inverse, return_counts, dim), out0, out1, out2);
}

std::tuple<Tensor&, Tensor&, Tensor&> unique_consecutive_outf(const Tensor& self, bool return_inverse, bool return_counts, std::optional<int64_t> dim, Tensor& out0, Tensor& out1, Tensor& out2) {
return at::unique_consecutive_out(out0, out1, out2, self, return_inverse, return_counts, dim);
}

std::tuple<Tensor, Tensor, Tensor> unique_dim_consecutive(const Tensor& self, int64_t dim, bool return_inverse, bool return_counts) {
return bridge::unique(minima::unique_consecutive(bridge::native(self), dim), return_inverse, return_counts);
}

std::tuple<Tensor&, Tensor&, Tensor&> unique_dim_consecutive_out(Tensor& out0, Tensor& out1, Tensor& out2, const Tensor& self, int64_t dim, bool return_inverse, bool return_counts) {
return bridge::write(at::unique_dim_consecutive(self, dim, return_inverse, return_counts), out0, out1, out2);
}

std::tuple<Tensor&, Tensor&, Tensor&> unique_dim_consecutive_outf(const Tensor& self, int64_t dim, bool return_inverse, bool return_counts, Tensor& out0, Tensor& out1, Tensor& out2) {
return at::unique_dim_consecutive_out(out0, out1, out2, self, dim, return_inverse, return_counts);
}

}  // namespace at
