// Written by scripts/torch_functions.py from torch_api/table.
// clang-format off
#include <core/bridge.h>

namespace at {

Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
return minima::index_select(bridge::native(self), dim, bridge::native(index));
}

Tensor Tensor::index_select(int64_t dim, const Tensor& index) const {
return at::index_select(*this, dim, index);
}

Tensor& index_select_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index) {
return bridge::write(at::index_select(self, dim, index), out);
}

Tensor& index_select_outf(const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
return at::index_select_out(out, self, dim, index);
}

Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, bool) {
return minima::gather(bridge::native(self), dim, bridge::native(index));
}

Tensor Tensor::gather(int64_t dim, const Tensor& index, bool sparse_grad) const {
return at::gather(*this, dim, index, sparse_grad);
}

Tensor& gather_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index, bool sparse_grad) {
return bridge::write(at::gather(self, dim, index, sparse_grad), out);
}

Tensor& gather_outf(const Tensor& self, int64_t dim, const Tensor& index, bool sparse_grad, Tensor& out) {
return at::gather_out(out, self, dim, index, sparse_grad);
}

Tensor take(const Tensor& self, const Tensor& index) {
return minima::take(bridge::native(self), bridge::native(index));
}

Tensor Tensor::take(const Tensor& index) const {
return at::take(*this, index);
}

Tensor& take_out(Tensor& out, const Tensor& self, const Tensor& index) {
return bridge::write(at::take(self, index), out);
}

Tensor& take_outf(const Tensor& self, const Tensor& index, Tensor& out) {
return at::take_out(out, self, index);
}

Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) {
return dim ? minima::take_along_dim(bridge::native(self), bridge::native(indices), *dim) : minima::take(bridge::native(self), minima::reshape(bridge::native(indices), -1));
}

Tensor Tensor::take_along_dim(const Tensor& indices, std::optional<int64_t> dim) const {
return at::take_along_dim(*this, indices, dim);
}

Tensor& take_along_dim_out(Tensor& out, const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) {
return bridge::write(at::take_along_dim(self, indices, dim), out);
}

Tensor& take_along_dim_outf(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim, Tensor& out) {
return at::take_along_dim_out(out, self, indices, dim);
}

Tensor masked_select(const Tensor& self, const Tensor& mask) {
return minima::masked_select(bridge::native(self), bridge::native(mask));
}

Tensor Tensor::masked_select(const Tensor& mask) const {
return at::masked_select(*this, mask);
}

Tensor& masked_select_out(Tensor& out, const Tensor& self, const Tensor& mask) {
return bridge::write(at::masked_select(self, mask), out);
}

Tensor& masked_select_outf(const Tensor& self, const Tensor& mask, Tensor& out) {
return at::masked_select_out(out, self, mask);
}

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value) {
return minima::masked_fill(bridge::native(self), bridge::native(mask), bridge::native(value));
}

Tensor Tensor::masked_fill(const Tensor& mask, const Scalar& value) const {
return at::masked_fill(*this, mask, value);
}

Tensor& masked_fill_out(Tensor& out, const Tensor& self, const Tensor& mask, const Scalar& value) {
return bridge::write(at::masked_fill(self, mask, value), out);
}

Tensor& masked_fill_outf(const Tensor& self, const Tensor& mask, const Scalar& value, Tensor& out) {
return at::masked_fill_out(out, self, mask, value);
}

Tensor& Tensor::masked_fill_(const Tensor& mask, const Scalar& value) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
minima::masked_fill_(bridge::native(self), bridge::native(mask), bridge::native(value));
return self;
}

Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value) {
return minima::where(bridge::native(mask), bridge::cast_to(bridge::native(value), bridge::native(self)), bridge::native(self));
}

Tensor Tensor::masked_fill(const Tensor& mask, const Tensor& value) const {
return at::masked_fill(*this, mask, value);
}

Tensor& masked_fill_out(Tensor& out, const Tensor& self, const Tensor& mask, const Tensor& value) {
return bridge::write(at::masked_fill(self, mask, value), out);
}

Tensor& masked_fill_outf(const Tensor& self, const Tensor& mask, const Tensor& value, Tensor& out) {
return at::masked_fill_out(out, self, mask, value);
}

Tensor& Tensor::masked_fill_(const Tensor& mask, const Tensor& value) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::change("masked_fill_", self, [&](const Tensor& x) { return at::masked_fill(x, mask, value); });
}

Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
return minima::masked_scatter(bridge::native(self), bridge::native(mask), bridge::native(source));
}

Tensor Tensor::masked_scatter(const Tensor& mask, const Tensor& source) const {
return at::masked_scatter(*this, mask, source);
}

Tensor& masked_scatter_(Tensor& self, const Tensor& mask, const Tensor& source) {
torch::autograd::check_inplace(self);
return bridge::change("masked_scatter_", self, [&](const Tensor& self) { return at::masked_scatter(self, mask, source); });
}

Tensor& Tensor::masked_scatter_(const Tensor& mask, const Tensor& source) const {
return at::masked_scatter_(const_cast<Tensor&>(*this), mask, source);
}

Tensor& masked_scatter_out(Tensor& out, const Tensor& self, const Tensor& mask, const Tensor& source) {
return bridge::write(at::masked_scatter(self, mask, source), out);
}

Tensor& masked_scatter_outf(const Tensor& self, const Tensor& mask, const Tensor& source, Tensor& out) {
return at::masked_scatter_out(out, self, mask, source);
}

Tensor nonzero(const Tensor& self) {
return minima::nonzero(bridge::native(self));
}

Tensor Tensor::nonzero() const {
return at::nonzero(*this);
}

Tensor& nonzero_out(Tensor& out, const Tensor& self) {
return bridge::write(at::nonzero(self), out);
}

Tensor& nonzero_outf(const Tensor& self, Tensor& out) {
return at::nonzero_out(out, self);
}

std::vector<Tensor> nonzero_numpy(const Tensor& self) {
return bridge::list(bridge::columns(minima::nonzero(bridge::native(self))));
}

std::vector<Tensor> Tensor::nonzero_numpy() const {
return at::nonzero_numpy(*this);
}

Tensor nonzero_static(const Tensor& self, int64_t size, int64_t fill_value) {
return bridge::nonzero_static(bridge::native(self), size, fill_value);
}

Tensor Tensor::nonzero_static(int64_t size, int64_t fill_value) const {
return at::nonzero_static(*this, size, fill_value);
}

Tensor& nonzero_static_out(Tensor& out, const Tensor& self, int64_t size, int64_t fill_value) {
return bridge::write(at::nonzero_static(self, size, fill_value), out);
}

Tensor& nonzero_static_outf(const Tensor& self, int64_t size, int64_t fill_value, Tensor& out) {
return at::nonzero_static_out(out, self, size, fill_value);
}

Tensor argwhere(const Tensor& self) {
return minima::nonzero(bridge::native(self));
}

Tensor Tensor::argwhere() const {
return at::argwhere(*this);
}

Tensor& argwhere_out(Tensor& out, const Tensor& self) {
return bridge::write(at::argwhere(self), out);
}

Tensor& argwhere_outf(const Tensor& self, Tensor& out) {
return at::argwhere_out(out, self);
}

Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
return minima::scatter(bridge::native(self), dim, bridge::native(index), bridge::native(src));
}

Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Tensor& src) const {
return at::scatter(*this, dim, index, src);
}

Tensor& scatter_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
torch::autograd::check_inplace(self);
return bridge::change("scatter_", self, [&](const Tensor& self) { return at::scatter(self, dim, index, src); });
}

Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Tensor& src) const {
return at::scatter_(const_cast<Tensor&>(*this), dim, index, src);
}

Tensor& scatter_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
return bridge::write(at::scatter(self, dim, index, src), out);
}

Tensor& scatter_outf(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Tensor& out) {
return at::scatter_out(out, self, dim, index, src);
}

Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
return minima::scatter(bridge::native(self), dim, bridge::native(index), minima::full(bridge::native(index).shape(), bridge::native(value), {bridge::native(self).dtype(), bridge::native(self).device()}));
}

Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Scalar& value) const {
return at::scatter(*this, dim, index, value);
}

Tensor& scatter_(Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
torch::autograd::check_inplace(self);
return bridge::change("scatter_", self, [&](const Tensor& self) { return at::scatter(self, dim, index, value); });
}

Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Scalar& value) const {
return at::scatter_(const_cast<Tensor&>(*this), dim, index, value);
}

Tensor& scatter_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
return bridge::write(at::scatter(self, dim, index, value), out);
}

Tensor& scatter_outf(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value, Tensor& out) {
return at::scatter_out(out, self, dim, index, value);
}

Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce) {
return bridge::scatter(bridge::native(self), dim, bridge::native(index), bridge::native(src), reduce);
}

Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce) const {
return at::scatter(*this, dim, index, src, reduce);
}

Tensor& scatter_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce) {
torch::autograd::check_inplace(self);
return bridge::change("scatter_", self, [&](const Tensor& self) { return at::scatter(self, dim, index, src, reduce); });
}

Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce) const {
return at::scatter_(const_cast<Tensor&>(*this), dim, index, src, reduce);
}

Tensor& scatter_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce) {
return bridge::write(at::scatter(self, dim, index, src, reduce), out);
}

Tensor& scatter_outf(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce, Tensor& out) {
return at::scatter_out(out, self, dim, index, src, reduce);
}

Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value, std::string_view reduce) {
return bridge::scatter(bridge::native(self), dim, bridge::native(index), minima::full(bridge::native(index).shape(), bridge::native(value), {bridge::native(self).dtype(), bridge::native(self).device()}), reduce);
}

Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Scalar& value, std::string_view reduce) const {
return at::scatter(*this, dim, index, value, reduce);
}

Tensor& scatter_(Tensor& self, int64_t dim, const Tensor& index, const Scalar& value, std::string_view reduce) {
torch::autograd::check_inplace(self);
return bridge::change("scatter_", self, [&](const Tensor& self) { return at::scatter(self, dim, index, value, reduce); });
}

Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Scalar& value, std::string_view reduce) const {
return at::scatter_(const_cast<Tensor&>(*this), dim, index, value, reduce);
}

Tensor& scatter_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value, std::string_view reduce) {
return bridge::write(at::scatter(self, dim, index, value, reduce), out);
}

Tensor& scatter_outf(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value, std::string_view reduce, Tensor& out) {
return at::scatter_out(out, self, dim, index, value, reduce);
}

Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
return minima::scatter_add(bridge::native(self), dim, bridge::native(index), bridge::native(src));
}

Tensor Tensor::scatter_add(int64_t dim, const Tensor& index, const Tensor& src) const {
return at::scatter_add(*this, dim, index, src);
}

Tensor& scatter_add_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
torch::autograd::check_inplace(self);
return bridge::change("scatter_add_", self, [&](const Tensor& self) { return at::scatter_add(self, dim, index, src); });
}

Tensor& Tensor::scatter_add_(int64_t dim, const Tensor& index, const Tensor& src) const {
return at::scatter_add_(const_cast<Tensor&>(*this), dim, index, src);
}

Tensor& scatter_add_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
return bridge::write(at::scatter_add(self, dim, index, src), out);
}

Tensor& scatter_add_outf(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Tensor& out) {
return at::scatter_add_out(out, self, dim, index, src);
}

Tensor scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool include_self) {
return minima::scatter_reduce(bridge::native(self), dim, bridge::native(index), bridge::native(src), bridge::scatter_mode(reduce), include_self);
}

Tensor Tensor::scatter_reduce(int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool include_self) const {
return at::scatter_reduce(*this, dim, index, src, reduce, include_self);
}

Tensor& scatter_reduce_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool include_self) {
torch::autograd::check_inplace(self);
return bridge::change("scatter_reduce_", self, [&](const Tensor& self) { return at::scatter_reduce(self, dim, index, src, reduce, include_self); });
}

Tensor& Tensor::scatter_reduce_(int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool include_self) const {
return at::scatter_reduce_(const_cast<Tensor&>(*this), dim, index, src, reduce, include_self);
}

Tensor& scatter_reduce_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool include_self) {
return bridge::write(at::scatter_reduce(self, dim, index, src, reduce, include_self), out);
}

Tensor& scatter_reduce_outf(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool include_self, Tensor& out) {
return at::scatter_reduce_out(out, self, dim, index, src, reduce, include_self);
}

Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) {
return minima::index_add(bridge::native(self), dim, bridge::native(index), bridge::scaled(bridge::native(source), bridge::native(alpha)));
}

Tensor Tensor::index_add(int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) const {
return at::index_add(*this, dim, index, source, alpha);
}

Tensor& index_add_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) {
torch::autograd::check_inplace(self);
return bridge::change("index_add_", self, [&](const Tensor& self) { return at::index_add(self, dim, index, source, alpha); });
}

Tensor& Tensor::index_add_(int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) const {
return at::index_add_(const_cast<Tensor&>(*this), dim, index, source, alpha);
}

Tensor& index_add_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha) {
return bridge::write(at::index_add(self, dim, index, source, alpha), out);
}

Tensor& index_add_outf(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha, Tensor& out) {
return at::index_add_out(out, self, dim, index, source, alpha);
}

Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
return minima::index_copy(bridge::native(self), dim, bridge::native(index), bridge::native(source));
}

Tensor Tensor::index_copy(int64_t dim, const Tensor& index, const Tensor& source) const {
return at::index_copy(*this, dim, index, source);
}

Tensor& index_copy_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
torch::autograd::check_inplace(self);
return bridge::change("index_copy_", self, [&](const Tensor& self) { return at::index_copy(self, dim, index, source); });
}

Tensor& Tensor::index_copy_(int64_t dim, const Tensor& index, const Tensor& source) const {
return at::index_copy_(const_cast<Tensor&>(*this), dim, index, source);
}

Tensor& index_copy_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
return bridge::write(at::index_copy(self, dim, index, source), out);
}

Tensor& index_copy_outf(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Tensor& out) {
return at::index_copy_out(out, self, dim, index, source);
}

Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce, bool include_self) {
return minima::index_reduce(bridge::native(self), dim, bridge::native(index), bridge::native(source), bridge::scatter_mode(reduce), include_self);
}

Tensor Tensor::index_reduce(int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce, bool include_self) const {
return at::index_reduce(*this, dim, index, source, reduce, include_self);
}

Tensor& index_reduce_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce, bool include_self) {
torch::autograd::check_inplace(self);
return bridge::change("index_reduce_", self, [&](const Tensor& self) { return at::index_reduce(self, dim, index, source, reduce, include_self); });
}

Tensor& Tensor::index_reduce_(int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce, bool include_self) const {
return at::index_reduce_(const_cast<Tensor&>(*this), dim, index, source, reduce, include_self);
}

Tensor& index_reduce_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce, bool include_self) {
return bridge::write(at::index_reduce(self, dim, index, source, reduce, include_self), out);
}

Tensor& index_reduce_outf(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce, bool include_self, Tensor& out) {
return at::index_reduce_out(out, self, dim, index, source, reduce, include_self);
}

Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
return minima::index_fill(bridge::native(self), dim, bridge::native(index), bridge::native(value));
}

Tensor Tensor::index_fill(int64_t dim, const Tensor& index, const Scalar& value) const {
return at::index_fill(*this, dim, index, value);
}

Tensor& index_fill_(Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
torch::autograd::check_inplace(self);
return bridge::change("index_fill_", self, [&](const Tensor& self) { return at::index_fill(self, dim, index, value); });
}

Tensor& Tensor::index_fill_(int64_t dim, const Tensor& index, const Scalar& value) const {
return at::index_fill_(const_cast<Tensor&>(*this), dim, index, value);
}

Tensor& index_fill_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
return bridge::write(at::index_fill(self, dim, index, value), out);
}

Tensor& index_fill_outf(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value, Tensor& out) {
return at::index_fill_out(out, self, dim, index, value);
}

Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
return minima::index_fill(bridge::native(self), dim, bridge::native(index), bridge::scalar_of(bridge::native(value)));
}

Tensor Tensor::index_fill(int64_t dim, const Tensor& index, const Tensor& value) const {
return at::index_fill(*this, dim, index, value);
}

Tensor& index_fill_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
torch::autograd::check_inplace(self);
return bridge::change("index_fill_", self, [&](const Tensor& self) { return at::index_fill(self, dim, index, value); });
}

Tensor& Tensor::index_fill_(int64_t dim, const Tensor& index, const Tensor& value) const {
return at::index_fill_(const_cast<Tensor&>(*this), dim, index, value);
}

Tensor& index_fill_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
return bridge::write(at::index_fill(self, dim, index, value), out);
}

Tensor& index_fill_outf(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value, Tensor& out) {
return at::index_fill_out(out, self, dim, index, value);
}

Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
return minima::put(bridge::native(self), bridge::native(index), bridge::native(source), accumulate);
}

Tensor Tensor::put(const Tensor& index, const Tensor& source, bool accumulate) const {
return at::put(*this, index, source, accumulate);
}

Tensor& put_(Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
torch::autograd::check_inplace(self);
return bridge::change("put_", self, [&](const Tensor& self) { return at::put(self, index, source, accumulate); });
}

Tensor& Tensor::put_(const Tensor& index, const Tensor& source, bool accumulate) const {
return at::put_(const_cast<Tensor&>(*this), index, source, accumulate);
}

Tensor& put_out(Tensor& out, const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
return bridge::write(at::put(self, index, source, accumulate), out);
}

Tensor& put_outf(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate, Tensor& out) {
return at::put_out(out, self, index, source, accumulate);
}

Tensor index(const Tensor& self, ArrayRef<std::optional<Tensor>> indices) {
return self.index(indices);
}

Tensor& index_out(Tensor& out, const Tensor& self, ArrayRef<std::optional<Tensor>> indices) {
return bridge::write(at::index(self, indices), out);
}

Tensor& index_outf(const Tensor& self, ArrayRef<std::optional<Tensor>> indices, Tensor& out) {
return at::index_out(out, self, indices);
}

Tensor index_put(const Tensor& self, ArrayRef<std::optional<Tensor>> indices, const Tensor& values, bool accumulate) {
return self.index_put(indices, values, accumulate);
}

Tensor& index_put_out(Tensor& out, const Tensor& self, ArrayRef<std::optional<Tensor>> indices, const Tensor& values, bool accumulate) {
return bridge::write(at::index_put(self, indices, values, accumulate), out);
}

Tensor& index_put_outf(const Tensor& self, ArrayRef<std::optional<Tensor>> indices, const Tensor& values, bool accumulate, Tensor& out) {
return at::index_put_out(out, self, indices, values, accumulate);
}

Tensor& index_put_(Tensor& self, ArrayRef<std::optional<Tensor>> indices, const Tensor& values, bool accumulate) {
torch::autograd::check_inplace(self);
self.index_put_(indices, values, accumulate);
return self;
}

Tensor one_hot(const Tensor& self, int64_t num_classes) {
return bridge::one_hot(bridge::native(self), num_classes);
}

Tensor& one_hot_out(Tensor& out, const Tensor& self, int64_t num_classes) {
return bridge::write(at::one_hot(self, num_classes), out);
}

Tensor& one_hot_outf(const Tensor& self, int64_t num_classes, Tensor& out) {
return at::one_hot_out(out, self, num_classes);
}

}  // namespace at
