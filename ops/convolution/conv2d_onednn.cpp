#ifdef MINIMA_HAVE_ONEDNN

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

/// Splits the batch into slices, each one call on one thread. By default a slice has as many images as keep its inputs
/// and results in the L2 cache, enough work to outweigh the call, and leaves slices for sixteen cores.
class Slices {
 public:
  Slices(ConvKind kind, const ConvGeometry& g, ConvOrder order, bool bias, std::int64_t images)
      : batch_(g.batch),
        images_(images),
        flops_(g.flops() / static_cast<double>(count())),
        x_step_(images * g.channels * g.pixels()),
        y_step_(images * g.outputs * g.positions()) {
    ConvGeometry slice = g;
    slice.batch = images;
    whole_ = conv_plan(kind, slice, order, bias);
    slice.batch = g.batch - (count() - 1) * images;
    last_ = conv_plan(kind, slice, order, bias);
  }

  static std::int64_t default_images(const ConvGeometry& g) {
    constexpr std::int64_t cache = 256 * 1024, least_flops = 4'000'000, cores = 16;
    const auto bytes = static_cast<std::int64_t>(sizeof(float)) * (g.channels * g.pixels() + g.outputs * g.positions());
    const auto flops = static_cast<std::int64_t>(g.flops()) / g.batch;
    const std::int64_t wanted =
        std::max(cache / std::max<std::int64_t>(bytes, 1), least_flops / std::max<std::int64_t>(flops, 1));
    return std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(g.batch / cores, 1));
  }

  std::int64_t count() const { return (batch_ + images_ - 1) / images_; }
  bool usable() const { return whole_->usable && last_->usable; }
  const ConvPlan& whole() const { return *whole_; }
  const ConvPlan& last() const { return *last_; }
  const ConvPlan& plan(std::int64_t slice) const { return slice + 1 < count() ? *whole_ : *last_; }
  template <class T> T* x(T* data, std::int64_t slice) const { return data + slice * x_step_; }
  template <class T> T* y(T* data, std::int64_t slice) const { return data + slice * y_step_; }

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
  std::int64_t batch_, images_;
  double flops_;
  std::int64_t x_step_, y_step_;
  std::shared_ptr<const ConvPlan> whole_, last_;
};

/// The weights in the orders of both plans, reordered once per call.
class Weights {
 public:
  Weights(const Slices& slices, const float* data) : whole_(slices.whole().weight, data), last_plan_(&slices.last()) {
    if (slices.whole().weight.primitive != slices.last().weight.primitive) last_.emplace(slices.last().weight, data);
  }
  const memory& of(const ConvPlan& plan) const { return last_ && &plan == last_plan_ ? last_->get() : whole_.get(); }

 private:
  Read whole_;
  std::optional<Read> last_;
  const ConvPlan* last_plan_;
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
                         float* y) {
  return translate_errors("conv2d", [&] {
    const Slices slices(ConvKind::forward, g, order, bias != nullptr, Slices::default_images(g));
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
    });
    return true;
  });
}

bool conv_input_gradient_onednn(const ConvGeometry& g, ConvOrder order, const float* y, const float* weight,
                                float* x_gradient) {
  return translate_errors("conv2d_input_gradient", [&] {
    const Slices slices(ConvKind::input_gradient, g, order, false, Slices::default_images(g));
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
