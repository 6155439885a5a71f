// Written by scripts/torch_functions.py from torch_api/table.
// clang-format off
#include <core/bridge.h>

namespace at {

Tensor Tensor::view(IntArrayRef size) const {
const Tensor& self = *this;
return minima::view(bridge::native(at::rows_first(self, size)), bridge::native(size));
}

Tensor Tensor::view(ScalarType dtype) const {
const Tensor& self = *this;
return bridge::viewed(bridge::native(rows_first(self)), bridge::native(dtype));
}

Tensor Tensor::view_as(const Tensor& other) const {
const Tensor& self = *this;
return minima::view(bridge::native(at::rows_first(self, other.sizes())), bridge::native(other).shape());
}

Tensor reshape(const Tensor& self, IntArrayRef shape) {
return minima::reshape(bridge::native(rows_first(self)), bridge::native(shape));
}

Tensor Tensor::reshape(IntArrayRef shape) const {
return at::reshape(*this, shape);
}

Tensor Tensor::reshape_as(const Tensor& other) const {
const Tensor& self = *this;
return minima::reshape(bridge::native(rows_first(self)), bridge::native(other).shape());
}

Tensor flatten(const Tensor& self, int64_t start_dim, int64_t end_dim) {
return minima::flatten(bridge::native(rows_first(self)), start_dim, end_dim);
}

Tensor Tensor::flatten(int64_t start_dim, int64_t end_dim) const {
return at::flatten(*this, start_dim, end_dim);
}

Tensor unflatten(const Tensor& self, int64_t dim, IntArrayRef sizes) {
return minima::unflatten(bridge::native(rows_first(self)), dim, bridge::native(sizes));
}

Tensor Tensor::unflatten(int64_t dim, IntArrayRef sizes) const {
return at::unflatten(*this, dim, sizes);
}

Tensor ravel(const Tensor& self) {
return minima::reshape(bridge::native(rows_first(self)), -1);
}

Tensor Tensor::ravel() const {
return at::ravel(*this);
}

Tensor permute(const Tensor& self, IntArrayRef dims) {
return minima::permute(bridge::native(rows_first(self)), bridge::native(dims));
}

Tensor Tensor::permute(IntArrayRef dims) const {
return at::permute(*this, dims);
}

Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1) {
return minima::transpose(bridge::native(rows_first(self)), dim0, dim1);
}

Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const {
return at::transpose(*this, dim0, dim1);
}

Tensor& Tensor::transpose_(int64_t dim0, int64_t dim1) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::become(self, at::transpose(self, dim0, dim1));
}

Tensor t(const Tensor& self) {
return minima::t(bridge::native(rows_first(self)));
}

Tensor Tensor::t() const {
return at::t(*this);
}

Tensor& Tensor::t_() const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::become(self, at::t(self));
}

Tensor Tensor::numpy_T() const {
const Tensor& self = *this;
return bridge::reversed(bridge::native(rows_first(self)));
}

Tensor Tensor::mT() const {
const Tensor& self = *this;
return minima::transpose(bridge::native(rows_first(self)), -2, -1);
}

Tensor Tensor::matrix_H() const {
const Tensor& self = *this;
return minima::conj(minima::t(bridge::native(rows_first(self))));
}

Tensor Tensor::mH() const {
const Tensor& self = *this;
return minima::conj(minima::transpose(bridge::native(rows_first(self)), -2, -1));
}

Tensor adjoint(const Tensor& self) {
return minima::conj(minima::transpose(bridge::native(rows_first(self)), -2, -1));
}

Tensor Tensor::adjoint() const {
return at::adjoint(*this);
}

Tensor movedim(const Tensor& self, IntArrayRef source, IntArrayRef destination) {
return minima::movedim(bridge::native(rows_first(self)), bridge::native(source), bridge::native(destination));
}

Tensor Tensor::movedim(IntArrayRef source, IntArrayRef destination) const {
return at::movedim(*this, source, destination);
}

Tensor movedim(const Tensor& self, int64_t source, int64_t destination) {
return minima::movedim(bridge::native(rows_first(self)), source, destination);
}

Tensor Tensor::movedim(int64_t source, int64_t destination) const {
return at::movedim(*this, source, destination);
}

Tensor squeeze(const Tensor& self) {
return minima::squeeze(bridge::native(rows_first(self)));
}

Tensor Tensor::squeeze() const {
return at::squeeze(*this);
}

Tensor squeeze(const Tensor& self, int64_t dim) {
return minima::squeeze(bridge::native(rows_first(self)), dim);
}

Tensor Tensor::squeeze(int64_t dim) const {
return at::squeeze(*this, dim);
}

Tensor squeeze(const Tensor& self, IntArrayRef dim) {
return bridge::squeeze(bridge::native(rows_first(self)), bridge::native(dim));
}

Tensor Tensor::squeeze(IntArrayRef dim) const {
return at::squeeze(*this, dim);
}

Tensor& Tensor::squeeze_() const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::become(self, at::squeeze(self));
}

Tensor& Tensor::squeeze_(int64_t dim) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::become(self, at::squeeze(self, dim));
}

Tensor& Tensor::squeeze_(IntArrayRef dim) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::become(self, at::squeeze(self, dim));
}

Tensor unsqueeze(const Tensor& self, int64_t dim) {
return minima::unsqueeze(bridge::native(rows_first(self)), dim);
}

Tensor Tensor::unsqueeze(int64_t dim) const {
return at::unsqueeze(*this, dim);
}

Tensor& Tensor::unsqueeze_(int64_t dim) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::become(self, at::unsqueeze(self, dim));
}

Tensor Tensor::expand(IntArrayRef size, bool) const {
const Tensor& self = *this;
return bridge::expand(bridge::native(rows_first(self)), bridge::native(size));
}

Tensor Tensor::expand_as(const Tensor& other) const {
const Tensor& self = *this;
return bridge::expand(bridge::native(rows_first(self)), bridge::native(other).shape());
}

Tensor broadcast_to(const Tensor& self, IntArrayRef size) {
return bridge::expand(bridge::native(rows_first(self)), bridge::native(size));
}

Tensor Tensor::broadcast_to(IntArrayRef size) const {
return at::broadcast_to(*this, size);
}

std::vector<Tensor> broadcast_tensors(TensorList tensors) {
return bridge::list(minima::broadcast_tensors(bridge::native(tensors)));
}

Tensor alias(const Tensor& self) {
return minima::view(bridge::native(rows_first(self)), bridge::native(rows_first(self)).shape());
}

Tensor Tensor::alias() const {
return at::alias(*this);
}

Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride, std::optional<int64_t> storage_offset) {
return minima::as_strided(bridge::native(rows_first(self)), bridge::layout(bridge::native(rows_first(self)), bridge::native(size), bridge::native(stride), storage_offset));
}

Tensor Tensor::as_strided(IntArrayRef size, IntArrayRef stride, std::optional<int64_t> storage_offset) const {
return at::as_strided(*this, size, stride, storage_offset);
}

Tensor& as_strided_(Tensor& self, IntArrayRef size, IntArrayRef stride, std::optional<int64_t> storage_offset) {
torch::autograd::check_inplace(self);
return bridge::become(self, at::as_strided(self, size, stride, storage_offset));
}

Tensor& Tensor::as_strided_(IntArrayRef size, IntArrayRef stride, std::optional<int64_t> storage_offset) const {
return at::as_strided_(const_cast<Tensor&>(*this), size, stride, storage_offset);
}

Tensor diagonal(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
return minima::diagonal(bridge::native(rows_first(self)), offset, dim1, dim2);
}

Tensor Tensor::diagonal(int64_t offset, int64_t dim1, int64_t dim2) const {
return at::diagonal(*this, offset, dim1, dim2);
}

Tensor linalg_diagonal(const Tensor& A, int64_t offset, int64_t dim1, int64_t dim2) {
return minima::diagonal(bridge::native(rows_first(A)), offset, dim1, dim2);
}

Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
return minima::narrow(bridge::native(rows_first(self)), dim, start, length);
}

Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length) const {
return at::narrow(*this, dim, start, length);
}

Tensor narrow(const Tensor& self, int64_t dim, const Tensor& start, int64_t length) {
return minima::narrow(bridge::native(rows_first(self)), dim, bridge::native(start).item<int64_t>(), length);
}

Tensor Tensor::narrow(int64_t dim, const Tensor& start, int64_t length) const {
return at::narrow(*this, dim, start, length);
}

Tensor select(const Tensor& self, int64_t dim, int64_t index) {
return minima::select(bridge::native(rows_first(self)), dim, index);
}

Tensor Tensor::select(int64_t dim, int64_t index) const {
return at::select(*this, dim, index);
}

Tensor slice(const Tensor& self, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
return minima::slice(bridge::native(rows_first(self)), dim, start.value_or(0), end.value_or(INT64_MAX), step);
}

Tensor Tensor::slice(int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) const {
return at::slice(*this, dim, start, end, step);
}

Tensor Tensor::unfold(int64_t dimension, int64_t size, int64_t step) const {
const Tensor& self = *this;
return minima::unfold(bridge::native(rows_first(self)), dimension, size, step);
}

std::vector<Tensor> split(const Tensor& self, int64_t split_size, int64_t dim) {
return bridge::list(minima::split(bridge::native(rows_first(self)), split_size, dim));
}

std::vector<Tensor> Tensor::split(int64_t split_size, int64_t dim) const {
return at::split(*this, split_size, dim);
}

std::vector<Tensor> split(const Tensor& self, IntArrayRef split_size, int64_t dim) {
return bridge::list(minima::split_with_sizes(bridge::native(rows_first(self)), bridge::vector(bridge::native(split_size)), dim));
}

std::vector<Tensor> Tensor::split(IntArrayRef split_size, int64_t dim) const {
return at::split(*this, split_size, dim);
}

std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, int64_t dim) {
return bridge::list(minima::split_with_sizes(bridge::native(rows_first(self)), bridge::vector(bridge::native(split_sizes)), dim));
}

std::vector<Tensor> Tensor::split_with_sizes(IntArrayRef split_sizes, int64_t dim) const {
return at::split_with_sizes(*this, split_sizes, dim);
}

std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim) {
return bridge::list(minima::chunk(bridge::native(rows_first(self)), chunks, dim));
}

std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t dim) const {
return at::chunk(*this, chunks, dim);
}

std::vector<Tensor> tensor_split(const Tensor& self, int64_t sections, int64_t dim) {
return bridge::list(minima::tensor_split(bridge::native(rows_first(self)), sections, dim));
}

std::vector<Tensor> Tensor::tensor_split(int64_t sections, int64_t dim) const {
return at::tensor_split(*this, sections, dim);
}

std::vector<Tensor> tensor_split(const Tensor& self, IntArrayRef indices, int64_t dim) {
return bridge::list(minima::tensor_split_at(bridge::native(rows_first(self)), bridge::vector(bridge::native(indices)), dim));
}

std::vector<Tensor> Tensor::tensor_split(IntArrayRef indices, int64_t dim) const {
return at::tensor_split(*this, indices, dim);
}

std::vector<Tensor> tensor_split(const Tensor& self, const Tensor& tensor_indices_or_sections, int64_t dim) {
return bridge::list(bridge::tensor_split(bridge::native(rows_first(self)), bridge::native(tensor_indices_or_sections), dim));
}

std::vector<Tensor> Tensor::tensor_split(const Tensor& tensor_indices_or_sections, int64_t dim) const {
return at::tensor_split(*this, tensor_indices_or_sections, dim);
}

std::vector<Tensor> unbind(const Tensor& self, int64_t dim) {
return bridge::list(minima::unbind(bridge::native(rows_first(self)), dim));
}

std::vector<Tensor> Tensor::unbind(int64_t dim) const {
return at::unbind(*this, dim);
}

std::vector<Tensor> hsplit(const Tensor& self, int64_t sections) {
return bridge::list(minima::tensor_split(bridge::native(rows_first(self)), sections, bridge::native(rows_first(self)).rank() > 1));
}

std::vector<Tensor> Tensor::hsplit(int64_t sections) const {
return at::hsplit(*this, sections);
}

std::vector<Tensor> hsplit(const Tensor& self, IntArrayRef indices) {
return bridge::list(minima::tensor_split_at(bridge::native(rows_first(self)), bridge::vector(bridge::native(indices)), bridge::native(rows_first(self)).rank() > 1));
}

std::vector<Tensor> Tensor::hsplit(IntArrayRef indices) const {
return at::hsplit(*this, indices);
}

std::vector<Tensor> vsplit(const Tensor& self, int64_t sections) {
return bridge::list(minima::tensor_split(bridge::native(rows_first(self)), sections, 0));
}

std::vector<Tensor> Tensor::vsplit(int64_t sections) const {
return at::vsplit(*this, sections);
}

std::vector<Tensor> vsplit(const Tensor& self, IntArrayRef indices) {
return bridge::list(minima::tensor_split_at(bridge::native(rows_first(self)), bridge::vector(bridge::native(indices)), 0));
}

std::vector<Tensor> Tensor::vsplit(IntArrayRef indices) const {
return at::vsplit(*this, indices);
}

std::vector<Tensor> dsplit(const Tensor& self, int64_t sections) {
return bridge::list(minima::tensor_split(bridge::native(rows_first(self)), sections, 2));
}

std::vector<Tensor> Tensor::dsplit(int64_t sections) const {
return at::dsplit(*this, sections);
}

std::vector<Tensor> dsplit(const Tensor& self, IntArrayRef indices) {
return bridge::list(minima::tensor_split_at(bridge::native(rows_first(self)), bridge::vector(bridge::native(indices)), 2));
}

std::vector<Tensor> Tensor::dsplit(IntArrayRef indices) const {
return at::dsplit(*this, indices);
}

Tensor atleast_1d(const Tensor& self) {
return minima::atleast_1d(bridge::native(rows_first(self)));
}

Tensor atleast_2d(const Tensor& self) {
return minima::atleast_2d(bridge::native(rows_first(self)));
}

Tensor atleast_3d(const Tensor& self) {
return minima::atleast_3d(bridge::native(rows_first(self)));
}

std::vector<Tensor> atleast_1d(TensorList tensors) {
return bridge::list(bridge::each(bridge::native(tensors), minima::atleast_1d));
}

std::vector<Tensor> atleast_2d(TensorList tensors) {
return bridge::list(bridge::each(bridge::native(tensors), minima::atleast_2d));
}

std::vector<Tensor> atleast_3d(TensorList tensors) {
return bridge::list(bridge::each(bridge::native(tensors), minima::atleast_3d));
}

Tensor& Tensor::swapaxes_(int64_t dim0, int64_t dim1) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::become(self, at::transpose(self, dim0, dim1));
}

Tensor& Tensor::swapdims_(int64_t dim0, int64_t dim1) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::become(self, at::transpose(self, dim0, dim1));
}

Tensor Tensor::contiguous(MemoryFormat memory_format) const {
const Tensor& self = *this;
return bridge::contiguous(self, memory_format);
}

Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format) {
return bridge::clone(self, memory_format);
}

Tensor Tensor::clone(std::optional<MemoryFormat> memory_format) const {
return at::clone(*this, memory_format);
}

Tensor& clone_out(Tensor& out, const Tensor& self, std::optional<MemoryFormat> memory_format) {
return bridge::write(at::clone(self, memory_format), out);
}

Tensor& clone_outf(const Tensor& self, std::optional<MemoryFormat> memory_format, Tensor& out) {
return at::clone_out(out, self, memory_format);
}

Tensor& Tensor::copy_(const Tensor& src, bool) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
minima::copy_(bridge::native(self), bridge::native(src));
return self;
}

Tensor copy(const Tensor& self, const Tensor& src, bool) {
return bridge::copied(bridge::native(self), bridge::native(src));
}

Tensor& copy_out(Tensor& out, const Tensor& self, const Tensor& src, bool non_blocking) {
return bridge::write(at::copy(self, src, non_blocking), out);
}

Tensor& copy_outf(const Tensor& self, const Tensor& src, bool non_blocking, Tensor& out) {
return at::copy_out(out, self, src, non_blocking);
}

Tensor& fill_(Tensor& self, const Scalar& value) {
torch::autograd::check_inplace(self);
return bridge::fill(self, value);
}

Tensor& Tensor::fill_(const Scalar& value) const {
return at::fill_(const_cast<Tensor&>(*this), value);
}

Tensor& fill_(Tensor& self, const Tensor& value) {
torch::autograd::check_inplace(self);
bridge::fill(bridge::native(self), bridge::native(value));
return self;
}

Tensor& Tensor::fill_(const Tensor& value) const {
return at::fill_(const_cast<Tensor&>(*this), value);
}

Tensor fill(const Tensor& self, const Scalar& value) {
return bridge::copied(bridge::native(self), at::scalar_like(value, self));
}

Tensor& fill_out(Tensor& out, const Tensor& self, const Scalar& value) {
return bridge::write(at::fill(self, value), out);
}

Tensor& fill_outf(const Tensor& self, const Scalar& value, Tensor& out) {
return at::fill_out(out, self, value);
}

Tensor fill(const Tensor& self, const Tensor& value) {
return bridge::copied(bridge::native(self), bridge::native(value));
}

Tensor& fill_out(Tensor& out, const Tensor& self, const Tensor& value) {
return bridge::write(at::fill(self, value), out);
}

Tensor& fill_outf(const Tensor& self, const Tensor& value, Tensor& out) {
return at::fill_out(out, self, value);
}

Tensor& zero_(Tensor& self) {
torch::autograd::check_inplace(self);
minima::zero_(bridge::native(self));
return self;
}

Tensor& Tensor::zero_() const {
return at::zero_(const_cast<Tensor&>(*this));
}

Tensor zero(const Tensor& self) {
return minima::zeros_like(bridge::native(self));
}

Tensor& zero_out(Tensor& out, const Tensor& self) {
return bridge::write(at::zero(self), out);
}

Tensor& zero_outf(const Tensor& self, Tensor& out) {
return at::zero_out(out, self);
}

Tensor& Tensor::fill_diagonal_(const Scalar& fill_value, bool wrap) const {
Tensor& self = const_cast<Tensor&>(*this);
torch::autograd::check_inplace(self);
return bridge::fill_diagonal(self, bridge::native(fill_value), wrap);
}

Tensor& resize_(Tensor& self, IntArrayRef size, std::optional<MemoryFormat>) {
return bridge::resize(self, bridge::native(size));
}

Tensor& Tensor::resize_(IntArrayRef size, std::optional<MemoryFormat> memory_format) const {
return at::resize_(const_cast<Tensor&>(*this), size, memory_format);
}

Tensor& resize_as_(Tensor& self, const Tensor& the_template, std::optional<MemoryFormat>) {
return bridge::resize(self, bridge::native(the_template).shape());
}

Tensor& Tensor::resize_as_(const Tensor& the_template, std::optional<MemoryFormat> memory_format) const {
return at::resize_as_(const_cast<Tensor&>(*this), the_template, memory_format);
}

Tensor& Tensor::set_() const {
Tensor& self = const_cast<Tensor&>(*this);
return bridge::become(self, minima::empty(0, {.dtype = bridge::native(self).dtype()}));
}

Tensor& Tensor::set_(const Tensor& source) const {
Tensor& self = const_cast<Tensor&>(*this);
return bridge::become(self, bridge::native(source));
}

bool Tensor::is_set_to(const Tensor& tensor) const {
const Tensor& self = *this;
return bridge::native(self).raw_data() == bridge::native(tensor).raw_data() && bridge::native(self).shape() == bridge::native(tensor).shape() && bridge::native(self).strides() == bridge::native(tensor).strides();
}

void swap(Tensor& a, Tensor& b) {
std::swap(a, b);
}

Tensor _cast_Byte(const Tensor& self, bool) {
return bridge::cast(bridge::native(self), minima::uint8);
}

Tensor _cast_Char(const Tensor& self, bool) {
return bridge::cast(bridge::native(self), minima::int8);
}

Tensor _cast_Int(const Tensor& self, bool) {
return bridge::cast(bridge::native(self), minima::int32);
}

Tensor _cast_Long(const Tensor& self, bool) {
return bridge::cast(bridge::native(self), minima::int64);
}

Tensor _cast_Half(const Tensor& self, bool) {
return bridge::cast(bridge::native(self), minima::float16);
}

Tensor _cast_Float(const Tensor& self, bool) {
return bridge::cast(bridge::native(self), minima::float32);
}

Tensor _cast_Double(const Tensor& self, bool) {
return bridge::cast(bridge::native(self), minima::float64);
}

Tensor Tensor::sum_to_size(IntArrayRef size) const {
const Tensor& self = *this;
return minima::sum_to(bridge::native(self), bridge::native(size));
}

Tensor Tensor::type_as(const Tensor& other) const {
const Tensor& self = *this;
return bridge::native(self).to(bridge::native(other).device(), bridge::native(other).dtype());
}

Tensor cat(TensorList tensors, int64_t dim) {
return minima::cat(bridge::native(tensors), dim);
}

Tensor& cat_out(Tensor& out, TensorList tensors, int64_t dim) {
return bridge::write(at::cat(tensors, dim), out);
}

Tensor& cat_outf(TensorList tensors, int64_t dim, Tensor& out) {
return at::cat_out(out, tensors, dim);
}

Tensor stack(TensorList tensors, int64_t dim) {
return minima::stack(bridge::native(tensors), dim);
}

Tensor& stack_out(Tensor& out, TensorList tensors, int64_t dim) {
return bridge::write(at::stack(tensors, dim), out);
}

Tensor& stack_outf(TensorList tensors, int64_t dim, Tensor& out) {
return at::stack_out(out, tensors, dim);
}

Tensor hstack(TensorList tensors) {
return minima::hstack(bridge::native(tensors));
}

Tensor& hstack_out(Tensor& out, TensorList tensors) {
return bridge::write(at::hstack(tensors), out);
}

Tensor& hstack_outf(TensorList tensors, Tensor& out) {
return at::hstack_out(out, tensors);
}

Tensor vstack(TensorList tensors) {
return minima::vstack(bridge::native(tensors));
}

Tensor& vstack_out(Tensor& out, TensorList tensors) {
return bridge::write(at::vstack(tensors), out);
}

Tensor& vstack_outf(TensorList tensors, Tensor& out) {
return at::vstack_out(out, tensors);
}

Tensor dstack(TensorList tensors) {
return minima::dstack(bridge::native(tensors));
}

Tensor& dstack_out(Tensor& out, TensorList tensors) {
return bridge::write(at::dstack(tensors), out);
}

Tensor& dstack_outf(TensorList tensors, Tensor& out) {
return at::dstack_out(out, tensors);
}

Tensor column_stack(TensorList tensors) {
return minima::column_stack(bridge::native(tensors));
}

Tensor& column_stack_out(Tensor& out, TensorList tensors) {
return bridge::write(at::column_stack(tensors), out);
}

Tensor& column_stack_outf(TensorList tensors, Tensor& out) {
return at::column_stack_out(out, tensors);
}

Tensor block_diag(TensorList tensors) {
return minima::block_diag(bridge::native(tensors));
}

Tensor& block_diag_out(Tensor& out, TensorList tensors) {
return bridge::write(at::block_diag(tensors), out);
}

Tensor& block_diag_outf(TensorList tensors, Tensor& out) {
return at::block_diag_out(out, tensors);
}

Tensor cartesian_prod(TensorList tensors) {
return minima::cartesian_prod(bridge::native(tensors));
}

Tensor& cartesian_prod_out(Tensor& out, TensorList tensors) {
return bridge::write(at::cartesian_prod(tensors), out);
}

Tensor& cartesian_prod_outf(TensorList tensors, Tensor& out) {
return at::cartesian_prod_out(out, tensors);
}

Tensor repeat(const Tensor& self, IntArrayRef dims) {
return minima::repeat(bridge::native(self), bridge::native(dims));
}

Tensor Tensor::repeat(IntArrayRef dims) const {
return at::repeat(*this, dims);
}

Tensor& repeat_out(Tensor& out, const Tensor& self, IntArrayRef dims) {
return bridge::write(at::repeat(self, dims), out);
}

Tensor& repeat_outf(const Tensor& self, IntArrayRef dims, Tensor& out) {
return at::repeat_out(out, self, dims);
}

Tensor tile(const Tensor& self, IntArrayRef dims) {
return minima::tile(bridge::native(self), bridge::native(dims));
}

Tensor Tensor::tile(IntArrayRef dims) const {
return at::tile(*this, dims);
}

Tensor& tile_out(Tensor& out, const Tensor& self, IntArrayRef dims) {
return bridge::write(at::tile(self, dims), out);
}

Tensor& tile_outf(const Tensor& self, IntArrayRef dims, Tensor& out) {
return at::tile_out(out, self, dims);
}

Tensor repeat_interleave(const Tensor& repeats, std::optional<int64_t>) {
return bridge::repeat_interleave(minima::arange(bridge::native(repeats).numel(), {.device = bridge::native(repeats).device()}), bridge::native(repeats), 0);
}

Tensor& repeat_interleave_out(Tensor& out, const Tensor& repeats, std::optional<int64_t> output_size) {
return bridge::write(at::repeat_interleave(repeats, output_size), out);
}

Tensor& repeat_interleave_outf(const Tensor& repeats, std::optional<int64_t> output_size, Tensor& out) {
return at::repeat_interleave_out(out, repeats, output_size);
}

Tensor repeat_interleave(const Tensor& self, const Tensor& repeats, std::optional<int64_t> dim, std::optional<int64_t>) {
return bridge::repeat_interleave(bridge::native(self), bridge::native(repeats), dim);
}

Tensor Tensor::repeat_interleave(const Tensor& repeats, std::optional<int64_t> dim, std::optional<int64_t> output_size) const {
return at::repeat_interleave(*this, repeats, dim, output_size);
}

Tensor& repeat_interleave_out(Tensor& out, const Tensor& self, const Tensor& repeats, std::optional<int64_t> dim, std::optional<int64_t> output_size) {
return bridge::write(at::repeat_interleave(self, repeats, dim, output_size), out);
}

Tensor& repeat_interleave_outf(const Tensor& self, const Tensor& repeats, std::optional<int64_t> dim, std::optional<int64_t> output_size, Tensor& out) {
return at::repeat_interleave_out(out, self, repeats, dim, output_size);
}

Tensor repeat_interleave(const Tensor& self, int64_t repeats, std::optional<int64_t> dim, std::optional<int64_t>) {
return dim ? minima::repeat_interleave(bridge::native(self), repeats, *dim) : minima::repeat_interleave(minima::reshape(bridge::native(self), -1), repeats, 0);
}

Tensor Tensor::repeat_interleave(int64_t repeats, std::optional<int64_t> dim, std::optional<int64_t> output_size) const {
return at::repeat_interleave(*this, repeats, dim, output_size);
}

Tensor& repeat_interleave_out(Tensor& out, const Tensor& self, int64_t repeats, std::optional<int64_t> dim, std::optional<int64_t> output_size) {
return bridge::write(at::repeat_interleave(self, repeats, dim, output_size), out);
}

Tensor& repeat_interleave_outf(const Tensor& self, int64_t repeats, std::optional<int64_t> dim, std::optional<int64_t> output_size, Tensor& out) {
return at::repeat_interleave_out(out, self, repeats, dim, output_size);
}

Tensor flip(const Tensor& self, IntArrayRef dims) {
return minima::flip(bridge::native(self), bridge::native(dims));
}

Tensor Tensor::flip(IntArrayRef dims) const {
return at::flip(*this, dims);
}

Tensor& flip_out(Tensor& out, const Tensor& self, IntArrayRef dims) {
return bridge::write(at::flip(self, dims), out);
}

Tensor& flip_outf(const Tensor& self, IntArrayRef dims, Tensor& out) {
return at::flip_out(out, self, dims);
}

Tensor fliplr(const Tensor& self) {
return minima::fliplr(bridge::native(self));
}

Tensor Tensor::fliplr() const {
return at::fliplr(*this);
}

Tensor& fliplr_out(Tensor& out, const Tensor& self) {
return bridge::write(at::fliplr(self), out);
}

Tensor& fliplr_outf(const Tensor& self, Tensor& out) {
return at::fliplr_out(out, self);
}

Tensor flipud(const Tensor& self) {
return minima::flipud(bridge::native(self));
}

Tensor Tensor::flipud() const {
return at::flipud(*this);
}

Tensor& flipud_out(Tensor& out, const Tensor& self) {
return bridge::write(at::flipud(self), out);
}

Tensor& flipud_outf(const Tensor& self, Tensor& out) {
return at::flipud_out(out, self);
}

Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims) {
return bridge::roll(bridge::native(self), bridge::native(shifts), bridge::native(dims));
}

Tensor Tensor::roll(IntArrayRef shifts, IntArrayRef dims) const {
return at::roll(*this, shifts, dims);
}

Tensor& roll_out(Tensor& out, const Tensor& self, IntArrayRef shifts, IntArrayRef dims) {
return bridge::write(at::roll(self, shifts, dims), out);
}

Tensor& roll_outf(const Tensor& self, IntArrayRef shifts, IntArrayRef dims, Tensor& out) {
return at::roll_out(out, self, shifts, dims);
}

Tensor rot90(const Tensor& self, int64_t k, IntArrayRef dims) {
return minima::rot90(bridge::native(self), k, bridge::native(dims));
}

Tensor Tensor::rot90(int64_t k, IntArrayRef dims) const {
return at::rot90(*this, k, dims);
}

Tensor& rot90_out(Tensor& out, const Tensor& self, int64_t k, IntArrayRef dims) {
return bridge::write(at::rot90(self, k, dims), out);
}

Tensor& rot90_outf(const Tensor& self, int64_t k, IntArrayRef dims, Tensor& out) {
return at::rot90_out(out, self, k, dims);
}

Tensor tril(const Tensor& self, int64_t diagonal) {
return minima::tril(bridge::native(self), diagonal);
}

Tensor Tensor::tril(int64_t diagonal) const {
return at::tril(*this, diagonal);
}

Tensor& tril_(Tensor& self, int64_t diagonal) {
torch::autograd::check_inplace(self);
return bridge::change("tril_", self, [&](const Tensor& self) { return at::tril(self, diagonal); });
}

Tensor& Tensor::tril_(int64_t diagonal) const {
return at::tril_(const_cast<Tensor&>(*this), diagonal);
}

Tensor& tril_out(Tensor& out, const Tensor& self, int64_t diagonal) {
return bridge::write(at::tril(self, diagonal), out);
}

Tensor& tril_outf(const Tensor& self, int64_t diagonal, Tensor& out) {
return at::tril_out(out, self, diagonal);
}

Tensor triu(const Tensor& self, int64_t diagonal) {
return minima::triu(bridge::native(self), diagonal);
}

Tensor Tensor::triu(int64_t diagonal) const {
return at::triu(*this, diagonal);
}

Tensor& triu_(Tensor& self, int64_t diagonal) {
torch::autograd::check_inplace(self);
return bridge::change("triu_", self, [&](const Tensor& self) { return at::triu(self, diagonal); });
}

Tensor& Tensor::triu_(int64_t diagonal) const {
return at::triu_(const_cast<Tensor&>(*this), diagonal);
}

Tensor& triu_out(Tensor& out, const Tensor& self, int64_t diagonal) {
return bridge::write(at::triu(self, diagonal), out);
}

Tensor& triu_outf(const Tensor& self, int64_t diagonal, Tensor& out) {
return at::triu_out(out, self, diagonal);
}

Tensor diag(const Tensor& self, int64_t diagonal) {
return minima::diag(bridge::native(self), diagonal);
}

Tensor Tensor::diag(int64_t diagonal) const {
return at::diag(*this, diagonal);
}

Tensor& diag_out(Tensor& out, const Tensor& self, int64_t diagonal) {
return bridge::write(at::diag(self, diagonal), out);
}

Tensor& diag_outf(const Tensor& self, int64_t diagonal, Tensor& out) {
return at::diag_out(out, self, diagonal);
}

Tensor diag_embed(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
return minima::diag_embed(bridge::native(self), offset, dim1, dim2);
}

Tensor Tensor::diag_embed(int64_t offset, int64_t dim1, int64_t dim2) const {
return at::diag_embed(*this, offset, dim1, dim2);
}

Tensor& diag_embed_out(Tensor& out, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
return bridge::write(at::diag_embed(self, offset, dim1, dim2), out);
}

Tensor& diag_embed_outf(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2, Tensor& out) {
return at::diag_embed_out(out, self, offset, dim1, dim2);
}

Tensor diagflat(const Tensor& self, int64_t offset) {
return minima::diag(minima::reshape(bridge::native(self), -1), offset);
}

Tensor Tensor::diagflat(int64_t offset) const {
return at::diagflat(*this, offset);
}

Tensor& diagflat_out(Tensor& out, const Tensor& self, int64_t offset) {
return bridge::write(at::diagflat(self, offset), out);
}

Tensor& diagflat_outf(const Tensor& self, int64_t offset, Tensor& out) {
return at::diagflat_out(out, self, offset);
}

Tensor diagonal_scatter(const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) {
return minima::diagonal_scatter(bridge::native(self), bridge::native(src), offset, dim1, dim2);
}

Tensor Tensor::diagonal_scatter(const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) const {
return at::diagonal_scatter(*this, src, offset, dim1, dim2);
}

Tensor& diagonal_scatter_out(Tensor& out, const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) {
return bridge::write(at::diagonal_scatter(self, src, offset, dim1, dim2), out);
}

Tensor& diagonal_scatter_outf(const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2, Tensor& out) {
return at::diagonal_scatter_out(out, self, src, offset, dim1, dim2);
}

Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index) {
return minima::select_scatter(bridge::native(self), bridge::native(src), dim, index);
}

Tensor Tensor::select_scatter(const Tensor& src, int64_t dim, int64_t index) const {
return at::select_scatter(*this, src, dim, index);
}

Tensor& select_scatter_out(Tensor& out, const Tensor& self, const Tensor& src, int64_t dim, int64_t index) {
return bridge::write(at::select_scatter(self, src, dim, index), out);
}

Tensor& select_scatter_outf(const Tensor& self, const Tensor& src, int64_t dim, int64_t index, Tensor& out) {
return at::select_scatter_out(out, self, src, dim, index);
}

Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
return minima::slice_scatter(bridge::native(self), bridge::native(src), dim, start.value_or(0), end.value_or(INT64_MAX), step);
}

Tensor Tensor::slice_scatter(const Tensor& src, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) const {
return at::slice_scatter(*this, src, dim, start, end, step);
}

Tensor& slice_scatter_out(Tensor& out, const Tensor& self, const Tensor& src, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
return bridge::write(at::slice_scatter(self, src, dim, start, end, step), out);
}

Tensor& slice_scatter_outf(const Tensor& self, const Tensor& src, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step, Tensor& out) {
return at::slice_scatter_out(out, self, src, dim, start, end, step);
}

Tensor as_strided_scatter(const Tensor& self, const Tensor& src, IntArrayRef size, IntArrayRef stride, std::optional<int64_t> storage_offset) {
return minima::as_strided_scatter(bridge::native(self), bridge::native(src), bridge::layout(bridge::native(self), bridge::native(size), bridge::native(stride), storage_offset));
}

Tensor Tensor::as_strided_scatter(const Tensor& src, IntArrayRef size, IntArrayRef stride, std::optional<int64_t> storage_offset) const {
return at::as_strided_scatter(*this, src, size, stride, storage_offset);
}

Tensor& as_strided_scatter_out(Tensor& out, const Tensor& self, const Tensor& src, IntArrayRef size, IntArrayRef stride, std::optional<int64_t> storage_offset) {
return bridge::write(at::as_strided_scatter(self, src, size, stride, storage_offset), out);
}

Tensor& as_strided_scatter_outf(const Tensor& self, const Tensor& src, IntArrayRef size, IntArrayRef stride, std::optional<int64_t> storage_offset, Tensor& out) {
return at::as_strided_scatter_out(out, self, src, size, stride, storage_offset);
}

std::vector<Tensor> meshgrid(TensorList tensors) {
return bridge::list(minima::meshgrid(bridge::native(tensors)));
}

std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing) {
return bridge::list(minima::meshgrid(bridge::native(tensors), indexing == "xy"));
}

Tensor combinations(const Tensor& self, int64_t r, bool with_replacement) {
return minima::combinations(bridge::native(self), r, with_replacement);
}

Tensor& combinations_out(Tensor& out, const Tensor& self, int64_t r, bool with_replacement) {
return bridge::write(at::combinations(self, r, with_replacement), out);
}

Tensor& combinations_outf(const Tensor& self, int64_t r, bool with_replacement, Tensor& out) {
return at::combinations_out(out, self, r, with_replacement);
}

Tensor pad_sequence(TensorList sequences, bool batch_first, double padding_value, std::string_view padding_side) {
return bridge::pad_sequence(bridge::native(sequences), batch_first, padding_value, padding_side);
}

Tensor& pad_sequence_out(Tensor& out, TensorList sequences, bool batch_first, double padding_value, std::string_view padding_side) {
return bridge::write(at::pad_sequence(sequences, batch_first, padding_value, padding_side), out);
}

Tensor& pad_sequence_outf(TensorList sequences, bool batch_first, double padding_value, std::string_view padding_side, Tensor& out) {
return at::pad_sequence_out(out, sequences, batch_first, padding_value, padding_side);
}

Tensor flatten_dense_tensors(TensorList tensors) {
return bridge::flatten_dense_tensors(bridge::native(tensors));
}

Tensor& flatten_dense_tensors_out(Tensor& out, TensorList tensors) {
return bridge::write(at::flatten_dense_tensors(tensors), out);
}

Tensor& flatten_dense_tensors_outf(TensorList tensors, Tensor& out) {
return at::flatten_dense_tensors_out(out, tensors);
}

std::vector<Tensor> unflatten_dense_tensors(const Tensor& flat, TensorList tensors) {
return bridge::list(bridge::unflatten_dense_tensors(bridge::native(at::rows_first(flat)), bridge::native(tensors)));
}

Tensor moveaxis(const Tensor& self, IntArrayRef source, IntArrayRef destination) {
return at::movedim(self, source, destination);
}

Tensor Tensor::moveaxis(IntArrayRef source, IntArrayRef destination) const {
return at::moveaxis(*this, source, destination);
}

Tensor moveaxis(const Tensor& self, int64_t source, int64_t destination) {
return at::movedim(self, source, destination);
}

Tensor Tensor::moveaxis(int64_t source, int64_t destination) const {
return at::moveaxis(*this, source, destination);
}

Tensor swapaxes(const Tensor& self, int64_t dim0, int64_t dim1) {
return at::transpose(self, dim0, dim1);
}

Tensor Tensor::swapaxes(int64_t dim0, int64_t dim1) const {
return at::swapaxes(*this, dim0, dim1);
}

Tensor swapdims(const Tensor& self, int64_t dim0, int64_t dim1) {
return at::transpose(self, dim0, dim1);
}

Tensor Tensor::swapdims(int64_t dim0, int64_t dim1) const {
return at::swapdims(*this, dim0, dim1);
}

std::vector<Tensor> unsafe_chunk(const Tensor& self, int64_t chunks, int64_t dim) {
return at::chunk(self, chunks, dim);
}

std::vector<Tensor> Tensor::unsafe_chunk(int64_t chunks, int64_t dim) const {
return at::unsafe_chunk(*this, chunks, dim);
}

std::vector<Tensor> unsafe_split(const Tensor& self, int64_t split_size, int64_t dim) {
return at::split(self, split_size, dim);
}

std::vector<Tensor> Tensor::unsafe_split(int64_t split_size, int64_t dim) const {
return at::unsafe_split(*this, split_size, dim);
}

std::vector<Tensor> unsafe_split(const Tensor& self, IntArrayRef split_size, int64_t dim) {
return at::split(self, split_size, dim);
}

std::vector<Tensor> Tensor::unsafe_split(IntArrayRef split_size, int64_t dim) const {
return at::unsafe_split(*this, split_size, dim);
}

std::vector<Tensor> unsafe_split_with_sizes(const Tensor& self, IntArrayRef split_sizes, int64_t dim) {
return at::split_with_sizes(self, split_sizes, dim);
}

std::vector<Tensor> Tensor::unsafe_split_with_sizes(IntArrayRef split_sizes, int64_t dim) const {
return at::unsafe_split_with_sizes(*this, split_sizes, dim);
}

Tensor concat(TensorList tensors, int64_t dim) {
return at::cat(tensors, dim);
}

Tensor& concat_out(Tensor& out, TensorList tensors, int64_t dim) {
return bridge::write(at::concat(tensors, dim), out);
}

Tensor& concat_outf(TensorList tensors, int64_t dim, Tensor& out) {
return at::concat_out(out, tensors, dim);
}

Tensor concatenate(TensorList tensors, int64_t dim) {
return at::cat(tensors, dim);
}

Tensor& concatenate_out(Tensor& out, TensorList tensors, int64_t dim) {
return bridge::write(at::concatenate(tensors, dim), out);
}

Tensor& concatenate_outf(TensorList tensors, int64_t dim, Tensor& out) {
return at::concatenate_out(out, tensors, dim);
}

Tensor row_stack(TensorList tensors) {
return at::vstack(tensors);
}

Tensor& row_stack_out(Tensor& out, TensorList tensors) {
return bridge::write(at::row_stack(tensors), out);
}

Tensor& row_stack_outf(TensorList tensors, Tensor& out) {
return at::row_stack_out(out, tensors);
}

}  // namespace at
