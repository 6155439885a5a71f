#include <minima/autograd/primitives.h>
#include <minima/ops/convolution/images.h>
#include <minima/ops/convolution/kernels.h>
#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/cudnn/graph.h>
#include <minima/ops/loops/cuda_loop.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/pointwise/functors/arithmetic.h>
#include <minima/ops/product/gemm/gemm.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/ops/convolution/patches_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <algorithm>
#include <vector>

namespace minima::detail {

namespace functor = pointwise::functor;

namespace {

using pointwise::CudaLoop;
using pointwise::Operand;

bool is_aligned(const Tensor& x) { return reinterpret_cast<std::uintptr_t>(x.raw_data()) % 16 == 0; }

Tensor temporary(const Layout& layout, DType dtype, Device device) {
  const PurposeGuard purpose(Purpose::temporaries);
  return alias(empty({layout.numel()}, {.dtype = dtype, .device = device}), layout);
}

/// The first channels of images.
Tensor first_channels(const Tensor& x, std::int64_t count) {
  Layout layout = x.layout();
  layout.shape[1] = count;
  return alias(x, layout);
}

/// x or a copy of it, in this order and aligned as cuDNN requires, with more channels of zeros.
Tensor in_order(const Tensor& x, bool channels_last, std::int64_t more_channels = 0) {
  Shape shape = x.shape();
  shape[1] += more_channels;
  const Layout layout = image_layout(shape, channels_last);
  if (more_channels > 0) {
    const Tensor padded = temporary(layout, x.dtype(), x.device());
    zero_kernel_cuda(padded, padded.numel());
    copy_kernel_cuda(x, first_channels(padded, x.size(1)));
    return padded;
  }
  const Tensor ordered = arranged(x, layout);
  return is_aligned(ordered) ? ordered : copy_with_layout(x, layout);
}

/// Tensor cores read channels of half types in groups of 8. cuDNN would pad others in its workspace: 196 MiB for the
/// first layer of a ResNet with 256 images, and beyond cudnn::workspace_limit() it is left with slow plans.
std::int64_t missing_channels(const ConvGeometry& g, DType dtype, bool channels_last) {
  const bool pads = is_half(dtype) && channels_last && g.options.groups == 1;
  return pads ? (8 - g.channels % 8) % 8 : 0;
}

/// Memory for a result in a given order and dtype, with more channels: the target itself, or a temporary that `store`
/// copies into it.
class Result {
 public:
  Result(const Tensor& target, bool channels_last, DType dtype, bool separate = false, std::int64_t more_channels = 0)
      : target_(target) {
    const bool ordered = channels_last ? target.layout().is_channels_last() : target.is_contiguous();
    const bool fits = ordered && dtype == target.dtype() && is_aligned(target) && !separate && more_channels == 0;
    Shape shape = target.shape();
    shape[1] += more_channels;
    memory_ = fits ? target : temporary(image_layout(shape, channels_last), dtype, target.device());
  }
  const Tensor& memory() const { return memory_; }
  void store() const {
    if (!memory_.is_same(target_)) copy_kernel_cuda(first_channels(memory_, target_.size(1)), target_);
  }
  void add() const { add_into(target_, first_channels(memory_, target_.size(1))); }

 private:
  Tensor target_, memory_;
};

/// y += bias, one value per channel.
void add_bias(const Tensor& y, const Tensor& bias) {
  Layout channels = y.layout();
  channels.offset = 0;
  for (int d = 0; d < y.rank(); ++d) channels.strides[d] = d == 1 ? bias.strides()[0] : 0;
  const Operand operands[] = {{y.raw_data(), y.layout(), y.dtype()},
                              {y.raw_data(), y.layout(), y.dtype()},
                              {bias.raw_data(), channels, bias.dtype()}};
  CudaLoop<functor::Add, 2, AllTypes, ResultType::same>::run("conv2d", {}, compute_dtype(y.dtype()), operands);
}

void fill_with_zero(const Tensor& x) {
  const Operand operands[] = {{x.raw_data(), x.layout(), x.dtype()}, {x.raw_data(), x.layout(), x.dtype()}};
  CudaLoop<functor::Fill, 1, AllTypes, ResultType::same>::run("conv2d", {}, x.dtype(), operands);
}

/// Convolution as matrix products. For a group and a range of positions, with patches P [positions, terms], weights W
/// [outputs, terms] and results Y [positions, outputs], all channels_last: Y = P·Wᵀ, dP = dY·W and dW = dYᵀ·P.
class Products {
 public:
  Products(const ConvGeometry& geometry, DType dtype, Device device)
      : g_(geometry), dtype_(dtype), device_(device), groups_(geometry.options.groups), terms_(geometry.terms()) {
    constexpr std::int64_t most_bytes = std::int64_t{64} << 20;
    const std::int64_t position =
        std::max<std::int64_t>(groups_ * terms_ * static_cast<std::int64_t>(size_of(dtype)), 1);
    all_ = g_.batch * g_.positions();
    chunk_ = std::min(std::max<std::int64_t>(most_bytes / position, 1), all_);
  }

  void forward(const Tensor& x, const Tensor& weight, const Tensor& y) const {
    const Tensor patches = memory(dtype_);
    each_chunk([&](std::int64_t first, std::int64_t count) {
      gather(x, first, count, patches);
      Gemm product = like(count, g_.group_outputs(), terms_, y.dtype());
      product.a = {rows_of_patches(), false};
      product.b = {rows_of_patches(), true};
      product.ldc = g_.outputs;
      run(product, {patches, count * terms_}, {weight, g_.group_outputs() * terms_},
          {y, g_.group_outputs(), first * g_.outputs});
    });
  }

  /// x_gradient is in the compute dtype.
  void input_gradient(const Tensor& y, const Tensor& weight, const Tensor& x_gradient) const {
    fill_with_zero(x_gradient);
    const Tensor patches = memory(x_gradient.dtype());
    each_chunk([&](std::int64_t first, std::int64_t count) {
      Gemm product = like(count, terms_, g_.group_outputs(), x_gradient.dtype());
      product.a = {g_.outputs, false};
      product.b = {rows_of_patches(), false};
      product.ldc = rows_of_patches();
      run(product, {y, g_.group_outputs(), first * g_.outputs}, {weight, g_.group_outputs() * terms_},
          {patches, count * terms_});
      scatter(patches, first, count, x_gradient);
    });
  }

  /// weight_gradient is in the compute dtype.
  void weight_gradient(const Tensor& x, const Tensor& y, const Tensor& weight_gradient) const {
    const Tensor patches = memory(dtype_);
    if (all_ == 0) fill_with_zero(weight_gradient);
    each_chunk([&](std::int64_t first, std::int64_t count) {
      gather(x, first, count, patches);
      Gemm product = like(g_.group_outputs(), terms_, count, weight_gradient.dtype());
      product.a = {g_.outputs, true};
      product.b = {rows_of_patches(), false};
      product.ldc = rows_of_patches();
      product.accumulate = first > 0;
      run(product, {y, g_.group_outputs(), first * g_.outputs}, {patches, count * terms_},
          {weight_gradient, g_.group_outputs() * terms_});
    });
  }

 private:
  /// One matrix per group, `step` elements apart.
  struct Grouped {
    const Tensor& tensor;
    std::int64_t step, start = 0;
    void* of(std::int64_t group) const {
      return static_cast<char*>(tensor.raw_data()) +
             (start + group * step) * static_cast<std::int64_t>(tensor.itemsize());
    }
  };

  std::int64_t rows_of_patches() const { return std::max<std::int64_t>(terms_, 1); }
  Tensor memory(DType dtype) const { return temporary(Layout::contiguous({groups_, chunk_, terms_}), dtype, device_); }
  Gemm like(std::int64_t m, std::int64_t n, std::int64_t k, DType result) const {
    return {.m = m,
            .n = n,
            .k = k,
            .a = {},
            .b = {},
            .ldc = 0,
            .dtype = dtype_,
            .c_dtype = result,
            .accumulate = false,
            .on_cuda = true,
            .device = device_,
            .epilogue = {}};
  }
  void run(const Gemm& product, const Grouped& a, const Grouped& b, const Grouped& c) const {
    std::vector<GemmPointers> groups;
    for (std::int64_t group = 0; group < groups_; ++group) groups.push_back({a.of(group), b.of(group), c.of(group)});
    run_gemm(product, groups);
  }
  template <class F>
  void each_chunk(F&& f) const {
    for (std::int64_t first = 0; first < all_; first += chunk_) f(first, std::min(chunk_, all_ - first));
  }

  static cuda::Grid grid_of(std::int64_t elements) {
    return cuda::grid_for((elements + patch_elements - 1) / patch_elements);
  }
  void gather(const Tensor& x, std::int64_t first, std::int64_t count, const Tensor& patches) const {
    dispatch<floating>(dtype_, "conv2d", [&]<class X> {
      cuda::launch("gather_patches", grid_of(groups_ * count * terms_), gather_patches_kernel<X>, g_, x.data<X>(),
                   first, count, patches.data<X>());
    });
  }
  void scatter(const Tensor& patches, std::int64_t first, std::int64_t count, const Tensor& x_gradient) const {
    const std::int64_t image = first / g_.positions(), images = (first + count - 1) / g_.positions() + 1 - image;
    dispatch<full_floating>(x_gradient.dtype(), "conv2d", [&]<class T> {
      cuda::launch("scatter_patches", grid_of(images * g_.pixels() * g_.channels), scatter_patches_kernel<T>, g_,
                   patches.data<T>(), first, count, image, images, x_gradient.data<T>());
    });
  }

  const ConvGeometry& g_;
  DType dtype_;
  Device device_;
  std::int64_t groups_, terms_, all_, chunk_;
};

bool has_no_elements(const ConvGeometry& g) {
  return numel(g.input()) == 0 || numel(g.weight()) == 0 || numel(g.output()) == 0;
}

}  // namespace

void conv2d_cuda(const ConvGeometry& g, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) {
  if (y.numel() == 0) return;
  const Tensor shift = !bias.defined() || (bias.is_contiguous() && is_aligned(bias))
                           ? bias
                           : copy_with_layout(bias, Layout::contiguous(bias.shape()));
  if (!has_no_elements(g)) {
    const bool last = wants_channels_last(y.layout()) || wants_channels_last(x.layout());
    const std::int64_t missing = missing_channels(g, y.dtype(), last);
    const Result result(y, last, y.dtype());
    if (conv2d_by_cudnn(ConvPart::forward, g, last, in_order(x, last, missing), in_order(weight, last, missing),
                        result.memory(), shift))
      return result.store();
  }
  const Result result(y, true, y.dtype());
  Products(g, x.dtype(), x.device()).forward(in_order(x, true), in_order(weight, true), result.memory());
  if (shift.defined()) add_bias(result.memory(), shift);
  result.store();
}

void conv2d_input_gradient_cuda(const ConvGeometry& g, const Tensor& y, const Tensor& weight,
                                const Tensor& x_gradient) {
  if (x_gradient.numel() == 0) return;
  if (!has_no_elements(g)) {
    const bool last = wants_channels_last(x_gradient.layout()) || wants_channels_last(y.layout());
    const std::int64_t missing = missing_channels(g, y.dtype(), last);
    const Result result(x_gradient, last, x_gradient.dtype(), false, missing);
    if (conv2d_by_cudnn(ConvPart::input_gradient, g, last, result.memory(), in_order(weight, last, missing),
                        in_order(y, last), {}))
      return result.store();
  }
  const Result result(x_gradient, true, compute_dtype(x_gradient.dtype()));
  Products(g, y.dtype(), y.device()).input_gradient(in_order(y, true), in_order(weight, true), result.memory());
  result.store();
}

void conv2d_weight_gradient_cuda(const ConvGeometry& g, const Tensor& x, const Tensor& y, const Tensor& weight_gradient,
                                 bool accumulate) {
  if (weight_gradient.numel() == 0) return;
  const auto finish = [&](const Result& result) { accumulate ? result.add() : result.store(); };
  if (!has_no_elements(g)) {
    const bool last = wants_channels_last(x.layout()) || wants_channels_last(y.layout());
    // cuDNN refuses half types with a float32 gradient, so the result is computed in x's dtype and then added.
    const std::int64_t missing = missing_channels(g, x.dtype(), last);
    const Result result(weight_gradient, last, x.dtype(), accumulate, missing);
    if (conv2d_by_cudnn(ConvPart::weight_gradient, g, last, in_order(x, last, missing), result.memory(),
                        in_order(y, last), {}))
      return finish(result);
  }
  const Result result(weight_gradient, true, compute_dtype(x.dtype()), accumulate);
  Products(g, x.dtype(), x.device()).weight_gradient(in_order(x, true), in_order(y, true), result.memory());
  finish(result);
}

namespace {

cuda::Grid grid_of(std::int64_t elements) { return cuda::grid_for((elements + patch_elements - 1) / patch_elements); }

}  // namespace

void unfold_kernel_cuda(const ConvGeometry& g, const Tensor& x, const Tensor& patches) {
  const std::int64_t positions = g.batch * g.positions();
  dispatch<floating>(x.dtype(), "unfold", [&]<class X> {
    cuda::launch("gather_patches", grid_of(positions * g.terms()), gather_patches_kernel<X>, g, x.data<X>(), 0,
                 positions, patches.data<X>());
  });
}

void fold_kernel_cuda(const ConvGeometry& g, const Tensor& patches, const Tensor& x) {
  zero_kernel_cuda(x, x.numel());
  const std::int64_t positions = g.batch * g.positions();
  dispatch<full_floating>(x.dtype(), "fold", [&]<class T> {
    cuda::launch("scatter_patches", grid_of(g.batch * g.pixels() * g.channels), scatter_patches_kernel<T>, g,
                 patches.data<T>(), 0, positions, 0, g.batch, x.data<T>());
  });
}

}  // namespace minima::detail
