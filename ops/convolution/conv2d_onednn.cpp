#ifdef MINIMA_HAVE_ONEDNN

#include <minima/ops/convolution/conv_ending.h>
#include <minima/ops/convolution/engines.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/ops/convolution/onednn_plan.h>
#include <minima/ops/loops/elements.h>
#include <minima/ops/product/gemm/one_thread.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/cpu/with_memory.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

using dnnl::memory;
using Arguments = std::unordered_map<int, memory>;

constexpr double flops_per_nanosecond = 50;

/// Scratch memory for one call on one thread.
class Scratch {
 public:
  explicit Scratch(const memory::desc& desc) {
    const PurposeGuard purpose(Purpose::temporaries);
    bytes_ = empty({static_cast<std::int64_t>(desc.get_size())}, {.dtype = DType::uint8});
    memory_ = memory(desc, onednn_engine(), bytes_.raw_data());
  }
  const memory& get() const { return memory_; }

 private:
  Tensor bytes_;
  memory memory_;
};

/// oneDNN 2.6 writes to its objects even where malloc gave it none. operator new empties minima's caches if nothing is
/// left, or throws; what it got is there for the next call's objects, each of less than 1 KiB.
void make_room() {
  constexpr std::size_t bytes = 32 * 1024;
  ::operator delete(::operator new(bytes));
}

memory wrap(const memory::desc& desc, const float* data) { return {desc, onednn_engine(), const_cast<float*>(data)}; }

void run_reorder(const dnnl::reorder& reorder, const memory& from, const memory& to) {
  reorder.execute(onednn_stream(), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

std::int64_t pixels_of(const Shape& images) { return numel(images) / (images[0] * images[1]); }

/// to[image][channel][pixel] = from[image][pixel][channel]: oneDNN's own reorder takes four times as long.
void planes_from_pixels(float* to, const float* from, const Shape& images) {
  const std::int64_t channels = images[1], pixels = pixels_of(images);
  for (std::int64_t at = 0; at < numel(images); at += channels * pixels)
    pointwise::gather_block(to + at, from + at, channels, pixels, 1, channels, sizeof(float));
}
/// to[image][pixel][channel] = from[image][channel][pixel]
void pixels_from_planes(float* to, const float* from, const Shape& images) {
  const std::int64_t channels = images[1], pixels = pixels_of(images);
  for (std::int64_t at = 0; at < numel(images); at += channels * pixels)
    pointwise::gather_block(to + at, from + at, pixels, channels, 1, pixels, sizeof(float));
}

/// An input of the primitive: the caller's memory, or a copy in the primitive's order.
class Read {
 public:
  Read(const PlanTensor& tensor, const float* data) : memory_(wrap(tensor.user, data)) {
    if (tensor.is_direct()) return;
    copy_.emplace(tensor.primitive);
    if (tensor.images.empty()) run_reorder(tensor.to_primitive, memory_, copy_->get());
    else pixels_from_planes(static_cast<float*>(copy_->get().get_data_handle()), data, tensor.images);
    memory_ = copy_->get();
  }
  const memory& get() const { return memory_; }

 private:
  memory memory_;
  std::optional<Scratch> copy_;
};

/// An output of the primitive; `store` copies the result into the caller's order.
class Written {
 public:
  Written(const PlanTensor& tensor, float* data) : tensor_(tensor), data_(data), user_(wrap(tensor.user, data)) {
    if (!tensor.is_direct()) copy_.emplace(tensor.primitive);
  }
  const memory& get() const { return copy_ ? copy_->get() : user_; }
  void store() const {
    if (!copy_) return;
    if (tensor_.images.empty()) run_reorder(tensor_.from_primitive, copy_->get(), user_);
    else planes_from_pixels(data_, static_cast<const float*>(copy_->get().get_data_handle()), tensor_.images);
  }

 private:
  const PlanTensor& tensor_;
  float* data_;
  memory user_;
  std::optional<Scratch> copy_;
};

/// Splits the work into slices, each one call on one thread. By default a slice has as many images as keep its inputs
/// and results in the L2 cache, enough work to outweigh the call, and leaves slices for sixteen cores. Where there are
/// fewer images than that, a slice may be some rows of one.
class Slices {
 public:
  Slices(ConvKind kind, const ConvGeometry& g, ConvOrder order, bool bias, std::int64_t images, std::int64_t bands = 1)
      : groups_((g.batch + images - 1) / images),
        bands_(bands),
        outputs_(g.outputs),
        x_step_(images * g.channels * g.pixels()),
        y_step_(images * g.outputs * g.positions()) {
    if (bands > 1) {
      const std::int64_t height = rows_of(kind, g), rows = divide_up(height, bands);
      bands_ = divide_up(height, rows);
      for (std::int64_t band = 0; band < bands_; ++band)
        add_band(kind, g, order, bias, band * rows, std::min((band + 1) * rows, height));
    } else {
      ConvGeometry slice = g;
      for (const std::int64_t batch : {images, g.batch - (count() - 1) * images}) {
        slice.batch = batch;
        parts_.push_back({conv_plan(kind, slice, order, bias), 0, 0, batch * g.positions()});
      }
    }
    flops_ = g.flops() / static_cast<double>(count());
  }

  static std::int64_t default_images(const ConvGeometry& g) {
    constexpr std::int64_t cache = 256 * 1024, cores = 16;
    const auto bytes = static_cast<std::int64_t>(sizeof(float)) * (g.channels * g.pixels() + g.outputs * g.positions());
    const auto flops = static_cast<std::int64_t>(g.flops()) / g.batch;
    const std::int64_t wanted =
        std::max(cache / std::max<std::int64_t>(bytes, 1), least_flops / std::max<std::int64_t>(flops, 1));
    return std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(g.batch / cores, 1));
  }

  /// The bands of rows that each image's result is divided into if there are few images, for a convolution and its
  /// input's gradient, whose rows must be adjacent in memory. If something follows the convolution, a band's results
  /// stay in the cache for it.
  static std::int64_t default_bands(ConvKind kind, const ConvGeometry& g, ConvOrder order, bool has_ending = false) {
    constexpr std::int64_t cores = 8, cache = 256 * 1024;
    const ConvOptions& o = g.options;
    if (o.spatial != 2 || !order.x_last || !order.y_last) return 1;
    if (o.padding.height > (g.kernel.height - 1) * o.dilation.height) return 1;  // a band might see no image
    if (kind == ConvKind::input_gradient && o.stride.height > 1) return 1;       // or no output
    const auto flops = static_cast<std::int64_t>(g.flops()) / g.batch;
    const auto bytes = static_cast<std::int64_t>(sizeof(float)) * g.outputs * g.positions();
    const std::int64_t wanted = std::max(cores / g.batch, has_ending ? bytes / cache : 0);
    return std::max<std::int64_t>(std::min({wanted, flops / least_flops, rows_of(kind, g)}), 1);
  }

  std::int64_t count() const { return groups_ * bands_; }
  bool usable() const {
    return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.plan->usable; });
  }
  const ConvPlan& plan(std::int64_t slice) const { return *part(slice).plan; }
  template <class T> T* x(T* data, std::int64_t slice) const { return data + slice / bands_ * x_step_ + part(slice).x; }
  template <class T> T* y(T* data, std::int64_t slice) const { return data + slice / bands_ * y_step_ + part(slice).y; }
  /// A slice's part of a channels_last result.
  ConvBlock finished(std::int64_t slice) const {
    const std::int64_t begin = slice / bands_ * y_step_ + part(slice).y;
    return {begin / outputs_, 0, part(slice).positions, outputs_, outputs_};
  }
  /// Calls f(plan) for each plan of the slices, some of them several times.
  template <class F> void each_plan(F&& f) const {
    for (const Part& part : parts_) f(*part.plan);
  }

  /// Calls run(slice, scratchpad) for each slice, in parallel.
  template <class F>
  void each(F&& run) const {
    parallel_for(0, count(), grain_for(std::max(flops_ / flops_per_nanosecond, 100.0)),
                 [&](std::int64_t first, std::int64_t last) {
                   const OneThread guard;
                   for (std::int64_t slice = first; slice < last; ++slice) {
                     make_room();
                     run(slice, Scratch(plan(slice).scratchpad).get());
                   }
                 });
  }

 private:
  /// One of the bands, or slices of whole images but the last, or the last.
  struct Part {
    std::shared_ptr<const ConvPlan> plan;
    std::int64_t x, y;       ///< where it begins in an image
    std::int64_t positions;  ///< of the result
  };

  const Part& part(std::int64_t slice) const {
    return parts_[static_cast<std::size_t>(bands_ > 1 ? slice % bands_ : slice + 1 == count())];
  }

  /// The rows of an image that are computed.
  static std::int64_t rows_of(ConvKind kind, const ConvGeometry& g) {
    return kind == ConvKind::forward ? g.out.height : g.size.height;
  }

  /// Adds the rows [first, last) of each image that is computed, and those of the other image that they depend on.
  void add_band(ConvKind kind, const ConvGeometry& g, ConvOrder order, bool bias, std::int64_t first,
                std::int64_t last) {
    const ConvOptions& o = g.options;
    const std::int64_t padding = o.padding.height, range = (g.kernel.height - 1) * o.dilation.height + 1;
    ConvGeometry band = g;
    band.batch = 1;
    std::int64_t x_row = first, y_row = first;
    if (kind == ConvKind::forward) {
      const std::int64_t begin = first * o.stride.height - padding;
      x_row = std::max<std::int64_t>(begin, 0);
      band.size.height = std::min((last - 1) * o.stride.height - padding + range, g.size.height) - x_row;
      band.out.height = last - first;
      band.options.padding.height = x_row - begin;
    } else {  // with a stride of 1
      y_row = std::max<std::int64_t>(first + padding - range + 1, 0);
      band.size.height = last - first;
      band.out.height = std::min(last + padding, g.out.height) - y_row;
      band.options.padding.height = first + padding - y_row;
    }
    parts_.push_back({conv_plan(kind, band, order, bias), x_row * g.size.width * g.channels,
                      y_row * g.out.width * g.outputs, band.positions()});
  }

  static constexpr std::int64_t least_flops = 4'000'000;
  std::int64_t groups_, bands_, outputs_;
  double flops_ = 0;
  std::int64_t x_step_, y_step_;
  std::vector<Part> parts_;
};

/// A weight in a primitive's order: the caller's memory, or a copy that threads make together if it is large.
class OrderedWeight {
 public:
  OrderedWeight(const PlanTensor& tensor, const float* data) : memory_(wrap(tensor.user, data)) {
    if (tensor.is_direct()) return;
    copy_.emplace(tensor.primitive);
    void* const target = copy_->get().get_data_handle();
    if (tensor.parts.empty()) run_reorder(tensor.to_primitive, memory_, copy_->get());
    else
      parallel_for(0, static_cast<std::int64_t>(tensor.parts.size()), 1, [&](std::int64_t first, std::int64_t last) {
        const OneThread guard;
        make_room();
        for (std::int64_t i = first; i < last; ++i) {
          const PartialReorder& part = tensor.parts[static_cast<std::size_t>(i)];
          run_reorder(part.reorder, wrap(part.from, data), memory(part.to, onednn_engine(), target));
        }
      });
    memory_ = copy_->get();
  }
  const memory& get() const { return memory_; }

 private:
  memory memory_;
  std::optional<Scratch> copy_;
};

/// The weights in the orders of all plans, reordered once per call.
class Weights {
 public:
  Weights(const Slices& slices, const float* data) {
    slices.each_plan([&](const ConvPlan& plan) {
      if (!find(plan)) weights_.push_back({plan.weight.primitive, OrderedWeight(plan.weight, data)});
    });
  }
  const memory& of(const ConvPlan& plan) const { return find(plan)->get(); }

 private:
  const OrderedWeight* find(const ConvPlan& plan) const {
    for (const auto& [order, weight] : weights_)
      if (order == plan.weight.primitive) return &weight;
    return nullptr;
  }

  std::vector<std::pair<memory::desc, OrderedWeight>> weights_;
};

/// sums[i] += partial[0][i], then partial[1][i] and so on; slice s starts at s · count.
void add_slices(float* sums, const float* partial, std::int64_t slices, std::int64_t count) {
  const double cost = 0.3 * static_cast<double>(slices);
  parallel_for(0, slices > 0 ? count : 0, grain_for(cost), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t s = 0; s < slices; ++s) {
      const float* __restrict from = partial + s * count;
      for (std::int64_t i = first; i < last; ++i) sums[i] += from[i];
    }
  });
}

/// Calls f, which writes whole results and so can be retried when memory runs out.
template <class F>
bool translate_errors(const char* op, F&& f) {
  if (is_library_closed()) return false;
  return with_memory(op, [&] {
    try {
      make_room();
      return f();
    } catch (const dnnl::error& error) {
      if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
      throw Error(str(op, ": oneDNN failed: ", error.what()));
    }
  });
}

}  // namespace

bool conv_forward_onednn(const ConvGeometry& g, ConvOrder order, const float* x, const float* weight, const float* bias,
                         const ConvEnding* ending, float* y) {
  return translate_errors("conv2d", [&] {
    const std::int64_t bands = Slices::default_bands(ConvKind::forward, g, order, ending != nullptr);
    const Slices slices(ConvKind::forward, g, order, bias != nullptr, bands > 1 ? 1 : Slices::default_images(g), bands);
    if (!slices.usable()) return false;
    const OneThread guard;
    const Weights weights(slices, weight);
    slices.each([&](std::int64_t slice, const memory& scratchpad) {
      const ConvPlan& plan = slices.plan(slice);
      const Read input(plan.x, slices.x(x, slice));
      const Written output(plan.y, slices.y(y, slice));
      Arguments arguments{{DNNL_ARG_SRC, input.get()},
                          {DNNL_ARG_WEIGHTS, weights.of(plan)},
                          {DNNL_ARG_DST, output.get()},
                          {DNNL_ARG_SCRATCHPAD, scratchpad}};
      if (bias) arguments.emplace(DNNL_ARG_BIAS, wrap(plan.bias, bias));
      plan.forward.execute(onednn_stream(), arguments);
      output.store();
      if (ending) finish(*ending, slices.finished(slice), y);
    });
    return true;
  });
}

bool conv_input_gradient_onednn(const ConvGeometry& g, ConvOrder order, const float* y, const float* weight,
                                float* x_gradient) {
  return translate_errors("conv2d_input_gradient", [&] {
    const std::int64_t bands = Slices::default_bands(ConvKind::input_gradient, g, order);
    const Slices slices(ConvKind::input_gradient, g, order, false, bands > 1 ? 1 : Slices::default_images(g), bands);
    if (!slices.usable()) return false;
    const OneThread guard;
    const Weights weights(slices, weight);
    slices.each([&](std::int64_t slice, const memory& scratchpad) {
      const ConvPlan& plan = slices.plan(slice);
      const Read by_output(plan.y, slices.y(y, slice));
      const Written result(plan.x, slices.x(x_gradient, slice));
      plan.input_gradient.execute(onednn_stream(), {{DNNL_ARG_DIFF_DST, by_output.get()},
                                                    {DNNL_ARG_WEIGHTS, weights.of(plan)},
                                                    {DNNL_ARG_DIFF_SRC, result.get()},
                                                    {DNNL_ARG_SCRATCHPAD, scratchpad}});
      result.store();
    });
    return true;
  });
}

bool conv_weight_gradient_onednn(const ConvGeometry& g, ConvOrder order, const float* x, const float* y,
                                 float* weight_gradient) {
  return translate_errors("conv2d_weight_gradient", [&] {
    const Slices slices(ConvKind::weight_gradient, g, order, false, images_per_weight_slice(g));
    if (!slices.usable()) return false;
    const std::int64_t count = numel(g.weight());
    const PurposeGuard purpose(Purpose::temporaries);
    const Tensor partial = empty({slices.count() - 1, count});
    slices.each([&](std::int64_t slice, const memory& scratchpad) {
      const ConvPlan& plan = slices.plan(slice);
      const Read input(plan.x, slices.x(x, slice)), by_output(plan.y, slices.y(y, slice));
      const Written sums(plan.weight, slice == 0 ? weight_gradient : partial.data<float>() + (slice - 1) * count);
      plan.weight_gradient.execute(onednn_stream(), {{DNNL_ARG_SRC, input.get()},
                                                     {DNNL_ARG_DIFF_DST, by_output.get()},
                                                     {DNNL_ARG_DIFF_WEIGHTS, sums.get()},
                                                     {DNNL_ARG_SCRATCHPAD, scratchpad}});
      sums.store();
    });
    add_slices(weight_gradient, partial.data<float>(), slices.count() - 1, count);
    return true;
  });
}

}  // namespace minima::detail

#endif
