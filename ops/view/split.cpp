#include <minima/ops/view/split.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/ops/view/parts.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace minima {

namespace {

using Tensors = std::span<const Tensor>;

/// The pieces' gradients, put together with the strides of the tensor that was split.
struct SplitGradient {
  static constexpr Traits traits{.name = "split_gradient"};
  int dim;
  Layout x;  ///< dense

  TensorSpec result(Tensors pieces) const { return {x, pieces.front().dtype(), pieces.front().device()}; }
  Cost cost(Tensors pieces) const {
    return {.bytes = 2 * static_cast<double>(x.numel()) * static_cast<double>(pieces.front().itemsize())};
  }
  void cpu(Tensors pieces, Tensor& y) const { copy_parts(pieces, y, detail::copy_kernel_cpu); }
  void cuda(Tensors pieces, Tensor& y) const { copy_parts(pieces, y, detail::copy_kernel_cuda); }
  void copy_parts(Tensors pieces, Tensor& y, void (*copy)(const Tensor&, const Tensor&)) const {
    std::int64_t start = 0;
    for (const Tensor& piece : pieces) {
      const std::int64_t stop = start + piece.shape()[dim];
      copy(piece, Tensor(new TensorImpl(y.impl()->storage, y.layout().sliced(dim, start, stop, 1), y.dtype())));
      start = stop;
    }
  }
  std::vector<Tensor> gradient(Grad g, SpecList pieces) const {
    std::vector<std::int64_t> sizes;
    for (const TensorSpec& piece : pieces) sizes.push_back(piece.shape()[dim]);
    return split_with_sizes(g, sizes, dim);
  }
};

}  // namespace

std::optional<Layout> detail::joined(std::span<const Tensor> parts, int dim) {
  Layout whole = parts.front().layout();
  for (const Tensor& part : parts.subspan(1)) {
    const Layout& layout = part.layout();
    const bool follows = part.impl()->storage.get() == parts.front().impl()->storage.get() &&
                         part.dtype() == parts.front().dtype() && layout.strides == whole.strides &&
                         layout.offset == whole.offset + whole.shape[dim] * whole.strides[dim];
    for (int d = 0; d < whole.rank(); ++d)
      if (!follows || (d != dim && layout.shape[d] != whole.shape[d])) return std::nullopt;
    whole.shape[dim] += layout.shape[dim];
  }
  return whole;
}

namespace {

/// One call of split: each piece is an output, so that a single operator writes the gradient of x. With a slice for
/// each piece it would be the sum of as many tensors that are mostly zero.
class SplitNode final : public Node {
 public:
  SplitNode(const Tensor& x, int dim, const std::vector<Tensor>& pieces)
      : dim_(dim), layout_(Layout::dense_like(x.layout())), edge_(detail::edge_to(x)), slots_(pieces.size()) {
    edges_ = &edge_;
    edge_count_ = 1;
    outputs_ = slots_.data();
    output_count_ = static_cast<std::uint32_t>(slots_.size());
    for (std::size_t i = 0; i < pieces.size(); ++i)
      slots_[i] = {pieces[i].shape(), pieces[i].dtype(), pieces[i].device(), {}};
    detail::number(*this);
  }

  const char* name() const override { return "split"; }

  void backward(Tensor* gradients, Tensor* results, BackwardContext& context) override {
    if (!context.needs(0)) return;
    std::vector<Tensor> pieces(slots_.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Output& slot = slots_[i];
      pieces[i] = gradients[i].defined() ? std::move(gradients[i])
                                         : expand(zeros({}, {.dtype = slot.dtype, .device = slot.device}), slot.shape);
    }
    const std::optional<Layout> whole = context.create_graph() ? std::nullopt : detail::joined(pieces, dim_);
    if (whole && whole->strides == layout_.strides)  // an operator on all pieces wrote them into one tensor
      results[0] = Tensor(new TensorImpl(pieces[0].impl()->storage, *whole, pieces[0].dtype()));
    else results[0] = minima::apply(SplitGradient{dim_, layout_}, Tensors(pieces));
  }

  void release_saved() override {}

 private:
  int dim_;
  Layout layout_;
  Edge edge_;
  std::vector<Output> slots_;
};

/// Views of consecutive parts of the dimension.
std::vector<Tensor> pieces_of(const char* op, const Tensor& x, int dim, const std::vector<std::int64_t>& sizes) {
  detail::expect_room(static_cast<std::int64_t>(sizes.size()), sizeof(Tensor) + sizeof(TensorImpl), op);
  std::vector<Tensor> pieces;
  pieces.reserve(sizes.size());
  std::int64_t start = 0;
  for (const std::int64_t size : sizes) {
    pieces.push_back(detail::make_view(x, x.layout().sliced(dim, start, start + size, 1, op)));
    start += size;
  }
  if (is_grad_enabled() && x.requires_grad()) {
    const Ref<Node> node(new SplitNode(x, dim, pieces));
    for (std::size_t i = 0; i < pieces.size(); ++i)
      detail::set_history(pieces[i], *node, static_cast<std::uint32_t>(i));
  }
  return pieces;
}

int dimension_of(const char* op, const Tensor& x, std::int64_t dim) {
  detail::check_defined(op, x);
  if (x.rank() == 0) throw ShapeError(str(op, ": x must have at least one dimension, got ", x));
  return wrap_dim(dim, x.rank(), op);
}

int checked_dim(const char* op, const Tensor& x, std::int64_t dim) {
  detail::check_defined(op, x);
  const int along = wrap_dim(dim, x.rank(), op);
  if (x.rank() == 0) throw ShapeError(str(op, ": x has no dimension to split, got ", x));
  return along;
}

}  // namespace

std::vector<Tensor> split(const Tensor& x, std::int64_t size, std::int64_t dim) {
  const int along = dimension_of("split", x, dim);
  if (size < 1) throw ValueError(str("split: size must be at least 1, got ", size));
  const std::int64_t total = x.shape()[along], count = total == 0 ? 1 : (total - 1) / size + 1;
  detail::expect_room(count, sizeof(Tensor) + sizeof(TensorImpl), "split");
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), size);
  sizes.back() = total - (count - 1) * size;
  return pieces_of("split", x, along, sizes);
}

std::vector<Tensor> split_with_sizes(const Tensor& x, const std::vector<std::int64_t>& sizes, std::int64_t dim) {
  const int along = dimension_of("split_with_sizes", x, dim);
  const std::int64_t total = x.shape()[along];
  std::int64_t rest = total;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > rest) rest = -1;
    if (rest < 0) break;
    rest -= size;
  }
  if (rest != 0)
    throw ValueError(str("split_with_sizes: sizes must not be negative and add up to ", total,
                         ", the size of dimension ", along, " of ", x));
  return pieces_of("split_with_sizes", x, along, sizes);
}

std::vector<Tensor> chunk(const Tensor& x, std::int64_t count, std::int64_t dim) {
  const int along = dimension_of("chunk", x, dim);
  if (count < 1) throw ValueError(str("chunk: count must be at least 1, got ", count));
  const std::int64_t size = x.shape()[along];
  return split(x, std::max<std::int64_t>(size / count + (size % count != 0), 1), along);
}

std::vector<Tensor> tensor_split(const Tensor& x, std::int64_t count, std::int64_t dim) {
  constexpr const char* op = "tensor_split";
  const int along = checked_dim(op, x, dim);
  if (count < 1) throw ValueError(str(op, ": count must be positive, got ", count));
  detail::expect_room(count, sizeof(Tensor) + sizeof(TensorImpl), op);
  const std::int64_t size = x.shape()[along], least = size / count, longer = size % count;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), least);
  std::fill_n(sizes.begin(), longer, least + 1);
  return split_with_sizes(x, sizes, along);
}

std::vector<Tensor> tensor_split_at(const Tensor& x, const std::vector<std::int64_t>& positions, std::int64_t dim) {
  const int along = checked_dim("tensor_split_at", x, dim);
  std::vector<Tensor> pieces;
  std::int64_t start = 0;
  for (const std::int64_t position : positions) {
    pieces.push_back(slice(x, along, start, position));
    start = position;
  }
  pieces.push_back(slice(x, along, start));
  return pieces;
}

std::vector<Tensor> unbind(const Tensor& x, std::int64_t dim) {
  detail::check_defined("unbind", x);
  if (x.rank() == 0) throw ShapeError(str("unbind: x has no dimension to unbind, got ", x));
  const int along = wrap_dim(dim, x.rank(), "unbind");
  detail::expect_room(x.shape()[along], sizeof(Tensor) + sizeof(TensorImpl), "unbind");
  std::vector<Tensor> slices;
  slices.reserve(static_cast<std::size_t>(x.shape()[along]));
  const std::vector<std::int64_t> ones(static_cast<std::size_t>(x.shape()[along]), 1);
  for (const Tensor& piece : split_with_sizes(x, ones, along)) slices.push_back(squeeze(piece, along));
  return slices;
}

}  // namespace minima
