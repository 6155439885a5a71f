#include <core/bridge.h>

#include <algorithm>

namespace at::bridge {

namespace m = minima;

minima::Layout layout(const MT& x, const Shape& size, const Shape& stride, std::optional<std::int64_t> offset) {
  TORCH_CHECK(size.rank() == stride.rank(), "mismatch in length of strides and shape");
  return {.shape = size, .strides = stride, .offset = offset.value_or(x.layout().offset)};
}

MT viewed(const MT& x, minima::DType dtype) {
  if (dtype == x.dtype()) return x;
  if (m::is_complex(x.dtype()) && m::size_of(dtype) * 2 == x.itemsize()) return m::flatten(m::view_as_real(x), -2);
  TORCH_CHECK(false, "view(dtype): the bytes of a ", scalar_type(x.dtype()), " tensor cannot be seen as ",
              scalar_type(dtype), " here; convert with to(), or use from_blob on data_ptr()");
}

MT reversed(const MT& x) {
  Shape order;
  for (int d = x.rank() - 1; d >= 0; --d) order.push_back(d);
  return m::permute(x, order);
}

MT squeeze(const MT& x, const Shape& dims) {
  if (dims.empty()) return m::squeeze(x);
  MT y = x;
  const Shape sorted = m::wrap_dims(dims, x.rank(), "squeeze");
  for (int i = sorted.rank() - 1; i >= 0; --i) y = m::squeeze(y, sorted[i]);
  return y;
}

MT expand(const MT& x, const Shape& shape) {
  TORCH_CHECK(shape.rank() >= x.rank(), "expand(", scalar_type(x.dtype()), "Tensor{", IntArrayRef(x.shape()),
              "}, size=", IntArrayRef(shape), "): the number of sizes provided (", shape.rank(),
              ") must be greater or equal to the number of dimensions in the tensor (", x.rank(), ")");
  return m::expand(x, shape);
}

std::vector<MT> tensor_split(const MT& x, const MT& indices_or_sections, std::int64_t dim) {
  TORCH_CHECK(indices_or_sections.dtype() == m::int64 && indices_or_sections.rank() <= 1,
              "tensor_split expected tensor_indices_or_sections to have dtype of long and at most one dimension");
  if (indices_or_sections.rank() == 0) return m::tensor_split(x, indices_or_sections.item<std::int64_t>(), dim);
  return m::tensor_split_at(x, indices_or_sections.to_vector<std::int64_t>(), dim);
}

std::vector<MT> each(std::span<const MT> tensors, MT (*f)(const MT&)) {
  std::vector<MT> made;
  for (const MT& x : tensors) made.push_back(f(x));
  return made;
}

std::vector<MT> columns(const MT& places) { return m::unbind(places, 1); }

Tensor contiguous(const Tensor& x, MemoryFormat format) {
  TORCH_CHECK(format != MemoryFormat::Preserve, "preserve memory format is unsupported by the contiguous operator");
  if (format == MemoryFormat::Contiguous) return m::contiguous(rows_first(x));
  return keep_order(m::channels_last(x));
}

Tensor clone(const Tensor& x, std::optional<MemoryFormat> format) {
  if (!format || *format == MemoryFormat::Preserve) return m::clone(x);
  if (format == MemoryFormat::Contiguous) return m::copy_as(x, m::Layout::contiguous(x.native().shape()));
  return keep_order(m::copy_as(x, m::Layout::channels_last(x.native().shape())));
}

MT copied(const MT& like, const MT& values) {
  MT y = m::empty_like(like);
  m::copy_(y, values);
  return y;
}

void fill(const MT& x, const MT& value) {
  TORCH_CHECK(value.rank() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ", value.rank(),
              " dimensions.");
  m::copy_(x, value);
}

Tensor& fill(Tensor& x, const Scalar& value) {
  if (value.isComplex()) m::copy_(x, scalar_like(value, x));
  else m::fill_(x, value.native());
  return x;
}

Tensor& fill_diagonal(Tensor& x, Number value, bool wrap) {
  const MT& matrix = rows_first(x).native();
  TORCH_CHECK(matrix.rank() >= 2, "dimensions must larger than 1");
  std::int64_t step = 0;
  std::int64_t count = matrix.size(0);
  for (int d = 0; d < matrix.rank(); ++d) {
    step += matrix.strides()[d];
    count = std::min(count, matrix.size(d));
    TORCH_CHECK(matrix.rank() == 2 || matrix.size(d) == matrix.size(0),
                "all dimensions of input must be of equal length");
  }
  const std::int64_t columns = matrix.size(1);
  if (wrap && matrix.rank() == 2 && matrix.size(0) > columns) count = (matrix.numel() + columns) / (columns + 1);
  m::fill_(m::as_strided(matrix, {.shape = count, .strides = step, .offset = matrix.layout().offset}), value);
  return x;
}

Tensor& resize(Tensor& x, const Shape& shape) {
  const MT& old = rows_first(x).native();
  if (old.shape() == shape) return x;
  TORCH_CHECK(!old.requires_grad(), "cannot resize variables that require grad");
  m::NoGrad guard;
  if (m::numel(shape) <= old.numel() && old.is_contiguous()) {
    m::Layout layout = m::Layout::contiguous(shape);
    layout.offset = old.layout().offset;
    return become(x, m::as_strided(old, layout));
  }
  const MT larger = m::empty(shape, {.dtype = old.dtype(), .device = old.device()});
  if (old.numel() > 0) m::copy_(m::slice(m::view(larger, -1), 0, 0, old.numel()), m::reshape(old, -1));
  return become(x, larger);
}

MT repeat_interleave(const MT& x, const MT& repeats, std::optional<std::int64_t> dim) {
  const MT line = dim ? x : m::reshape(x, -1);
  const std::int64_t along = dim.value_or(0);
  if (repeats.numel() == 1) return m::repeat_interleave(line, repeats.item<std::int64_t>(), along);
  const std::vector<std::int64_t> counts = repeats.to_vector<std::int64_t>();
  TORCH_CHECK(static_cast<std::int64_t>(counts.size()) == line.size(along),
              "repeats must have the same size as input along dim, but got repeats.size(0) = ", counts.size(),
              " and input.size(", along, ") = ", line.size(along));
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < counts.size(); ++i)
    places.insert(places.end(), static_cast<std::size_t>(counts[i]), static_cast<std::int64_t>(i));
  return m::index_select(line, along, m::from_vector(places, static_cast<std::int64_t>(places.size()), x.device()));
}

MT roll(const MT& x, const Shape& shifts, const Shape& dims) {
  TORCH_CHECK(!shifts.empty(), "`shifts` required");
  if (dims.empty() && shifts.rank() == 1) return m::reshape(m::roll(m::reshape(x, -1), shifts[0], 0), x.shape());
  TORCH_CHECK(dims.rank() == shifts.rank(), "shifts and dimensions must align. shifts: ", shifts.rank(),
              ", dims:", dims.rank());
  MT y = x;
  for (int i = 0; i < dims.rank(); ++i) y = m::roll(y, shifts[i], dims[i]);
  return y;
}

MT pad_sequence(std::span<const MT> sequences, bool batch_first, double value, std::string_view side) {
  TORCH_CHECK(side == "left" || side == "right", "Expected padding_side to be one of left or right, but got ", side,
              ".");
  if (side == "right") return m::pad_sequence({sequences.begin(), sequences.end()}, batch_first, value);
  std::vector<MT> turned;
  for (const MT& x : sequences) turned.push_back(m::flip(x, 0));
  return m::flip(m::pad_sequence(turned, batch_first, value), batch_first ? 1 : 0);
}

MT nonzero_static(const MT& x, std::int64_t size, std::int64_t fill) {
  const MT found = m::nonzero(x);
  if (found.size(0) >= size) return m::slice(found, 0, 0, size);
  return m::pad(found, {0, 0, 0, size - found.size(0)}, m::PadMode::constant, fill);
}

minima::ScatterMode scatter_mode(std::string_view reduce) {
  constexpr std::string_view names[] = {"sum", "mean", "amax", "amin", "prod"};
  const auto* const found = std::find(std::begin(names), std::end(names), reduce);
  TORCH_CHECK(found != std::end(names), "reduce argument must be either sum, prod, mean, amax or amin, got ", reduce);
  return static_cast<m::ScatterMode>(found - names);
}

MT scatter(const MT& x, std::int64_t dim, const MT& index, const MT& source, std::string_view reduce) {
  TORCH_CHECK(reduce == "add" || reduce == "multiply", "reduce argument must be either add or multiply.");
  return m::scatter_reduce(x, dim, index, source, reduce == "add" ? m::ScatterMode::sum : m::ScatterMode::prod);
}

MT one_hot(const MT& classes, std::int64_t count) {
  TORCH_CHECK(classes.dtype() == m::int64, "one_hot is only applicable to index tensor of type LongTensor.");
  if (count == -1) {
    TORCH_CHECK(classes.numel() > 0, "Can not infer total number of classes from empty tensor.");
    count = m::max(classes).item<std::int64_t>() + 1;
  }
  return m::one_hot(classes, count);
}

MT empty_strided(const Shape& size, const Shape& stride, minima::TensorOptions options) {
  const m::Layout layout{.shape = size, .strides = stride};
  return m::as_strided(m::empty(layout.end(), options), layout);
}

Tensor empty_permuted(const Shape& size, const Shape& order, minima::TensorOptions options) {
  const int dims = size.rank();
  TORCH_CHECK(order.rank() == dims,
              "Number of dimensions in size does not match the length of the physical_layout; i.e. "
              "len(size) = ",
              dims, " is not equal to len(physical_layout) = ", order.rank());
  Shape strides = Shape::filled(dims, -1);
  std::int64_t step = 1;
  for (int i = dims - 1; i >= 0; --i) {
    const std::int64_t dim = order[i];
    TORCH_CHECK(dim >= 0 && dim < dims, "Dimension out of range (expected to be between 0 and ", dims - 1, ", but got ",
                dim, " at index ", i, ").  NB: negative dims not currently supported");
    TORCH_CHECK(strides[static_cast<int>(dim)] == -1, "Duplicate dim not allowed: ", dim);
    strides[static_cast<int>(dim)] = step;
    step *= size[static_cast<int>(dim)];
  }
  return keep_order(empty_strided(size, strides, options));
}

MT flatten_dense_tensors(std::span<const MT> tensors) {
  std::vector<MT> flat;
  for (const MT& x : tensors) flat.push_back(m::reshape(x, -1));
  return m::cat(flat, 0);
}

std::vector<MT> unflatten_dense_tensors(const MT& flat, std::span<const MT> tensors) {
  std::vector<MT> parts;
  std::int64_t start = 0;
  for (const MT& x : tensors) {
    const std::int64_t count = x.numel();
    if (count == 0) parts.push_back(m::empty(x.shape(), {.dtype = flat.dtype(), .device = flat.device()}));
    else parts.push_back(m::view(m::slice(flat, 0, start, start + count), x.shape()));
    start += count;
  }
  return parts;
}

}  // namespace at::bridge
