#include <minima/ops/norm/kernels.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/loops/elements.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/norm/channel_blocks.h>
#include <minima/ops/pointwise/functors/activation.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace functor = pointwise::functor;

namespace {

constexpr double cost = 0.5;

/// A block's elements as T: the tensor's own memory, or a converted copy.
template <class T>
class Reader {
 public:
  Reader(const Tensor& x, std::int64_t largest)
      : data_(static_cast<char*>(x.raw_data())),
        dtype_(x.dtype()),
        buffer_(is_half(dtype_) ? static_cast<std::size_t>(largest) : 0) {}

  const T* read(const ChannelBlocks::Block& b) {
    char* from = data_ + b.offset * static_cast<std::int64_t>(size_of(dtype_));
    if (!is_half(dtype_)) return reinterpret_cast<T*>(from);
    pointwise::converter(dtype_of<T>, dtype_)(buffer_.data(), from, b.count);
    return buffer_.data();
  }
  /// Where to write a block; write() then stores it.
  T* target(const ChannelBlocks::Block& b) {
    return is_half(dtype_) ? buffer_.data()
                           : reinterpret_cast<T*>(data_ + b.offset * static_cast<std::int64_t>(sizeof(T)));
  }
  void write(const ChannelBlocks::Block& b) {
    if (is_half(dtype_)) pointwise::converter(dtype_, dtype_of<T>)(data_ + b.offset * 2, buffer_.data(), b.count);
  }

 private:
  char* data_;
  DType dtype_;
  std::vector<T> buffer_;
};

/// f(first block, last block) in parallel.
template <class F> void for_blocks(const ChannelBlocks& blocks, const F& f) {
  minima::parallel_for(0, blocks.count(), grain_for(cost * static_cast<double>(blocks.largest())), f);
}

std::size_t size_for(std::int64_t n) { return static_cast<std::size_t>(n); }

/// [C] as T; `otherwise` where the tensor is undefined.
template <class T> std::vector<T> channel_values(const Tensor& values, std::int64_t channels, T otherwise) {
  std::vector<T> result(size_for(channels), otherwise);
  if (values.defined())
    copy_kernel_cpu(values, from_blob(result.data(), Layout::contiguous({channels}), {.dtype = dtype_of<T>}));
  return result;
}

/// One value per block and channel, combined in block order.
struct Partials {
  std::int64_t channels;
  std::vector<double> values;
  explicit Partials(const ChannelBlocks& blocks)
      : channels(blocks.channels()), values(size_for(blocks.slots() * blocks.channels())) {}
  double* at(const ChannelBlocks::Block& b) { return values.data() + b.slot * channels + b.channel; }
};

/// Mean and Σ (x - mean)² of blocks, merged by the formula of Chan, Golub and LeVeque: accurate whatever the mean.
template <class T>
void statistics(const Tensor& x, const ChannelBlocks& blocks, std::vector<double>& mean, std::vector<double>& squares) {
  Partials means(blocks), sums(blocks);
  for_blocks(blocks, [&](std::int64_t first, std::int64_t last) {
    Reader<T> reader(x, blocks.largest());
    std::vector<T> memory(size_for(2 * blocks.lanes()));
    T *total = memory.data(), *center = total + blocks.lanes();
    for (std::int64_t i = first; i < last; ++i) {
      const ChannelBlocks::Block b = blocks[i];
      const T* p = reader.read(b);
      const std::int64_t lanes = blocks.lanes(), period = blocks.period();
      const T n = static_cast<T>(b.count / period);
      for (std::int64_t l = 0; l < lanes; ++l) total[l] = 0;
      for_lanes(b.count, lanes, [=](std::int64_t e, std::int64_t l) { total[l] += p[e]; });
      blocks.fold(total);
      for (std::int64_t l = 0; l < lanes; ++l) center[l] = total[l % period] / n;
      for (std::int64_t c = 0; c < period; ++c) means.at(b)[c] = static_cast<double>(center[c]);
      for (std::int64_t l = 0; l < lanes; ++l) total[l] = 0;
      for_lanes(b.count, lanes, [=](std::int64_t e, std::int64_t l) {
        const T d = p[e] - center[l];
        total[l] += d * d;
      });
      blocks.fold(total);
      for (std::int64_t c = 0; c < period; ++c) sums.at(b)[c] = static_cast<double>(total[c]);
    }
  });

  mean.assign(size_for(blocks.channels()), 0);
  squares.assign(size_for(blocks.channels()), 0);
  std::vector<double> counts(size_for(blocks.channels()), 0);
  const auto merge = [&](const ChannelBlocks::Block& b) {
    const double n = static_cast<double>(b.count / blocks.period());
    for (std::int64_t c = 0; c < blocks.period(); ++c) {
      const auto k = size_for(b.channel + c);
      const double all = counts[k] + n, step = means.at(b)[c] - mean[k];
      mean[k] += step * n / all;
      squares[k] += sums.at(b)[c] + step * step * counts[k] * n / all;
      counts[k] = all;
    }
  };
  for (std::int64_t i = 0; i < blocks.count(); ++i) merge(blocks[i]);
}

}  // namespace

ChannelStatistics batch_statistics(const Tensor& x, double eps, double* unbiased_var) {
  const ChannelBlocks blocks(x.layout());
  const std::int64_t channels = blocks.channels();
  const double count = static_cast<double>(x.numel() / channels);
  const TensorOptions options{.dtype = compute_dtype(x.dtype())};
  ChannelStatistics result{empty({channels}, options), empty({channels}, options)};
  dispatch<full_floating>(options.dtype, "batch_norm", [&]<class T> {
    std::vector<double> mean, squares;
    statistics<T>(x, blocks, mean, squares);
    for (std::int64_t c = 0; c < channels; ++c) {
      result.mean.data<T>()[c] = static_cast<T>(mean[size_for(c)]);
      result.rstd.data<T>()[c] = static_cast<T>(1 / std::sqrt(squares[size_for(c)] / count + eps));
      if (unbiased_var) unbiased_var[c] = squares[size_for(c)] / (count - 1);
    }
  });
  return result;
}

void normalize_channels(const Tensor& x, const ChannelStatistics& statistics, const Tensor& weight, const Tensor& bias,
                        const Ending& ending, Tensor& y) {
  const ChannelBlocks blocks(y.layout());
  const std::int64_t channels = blocks.channels();
  dispatch<full_floating>(compute_dtype(x.dtype()), "batch_norm", [&]<class T> {
    std::vector<T> scales = channel_values<T>(weight, channels, 1);
    const std::vector<T> shifts = channel_values<T>(bias, channels, 0);
    for (std::int64_t c = 0; c < channels; ++c) scales[size_for(c)] *= statistics.rstd.data<T>()[c];
    for_blocks(blocks, [&](std::int64_t first, std::int64_t last) {
      const bool adds = ending.residual.defined();
      Reader<T> in(x, blocks.largest()), rest(adds ? ending.residual : x, blocks.largest()), out(y, blocks.largest());
      std::vector<T> memory(size_for(3 * blocks.lanes()));
      T *mean = memory.data(), *scale = mean + blocks.lanes(), *shift = scale + blocks.lanes();
      for (std::int64_t i = first; i < last; ++i) {
        const ChannelBlocks::Block b = blocks[i];
        if (i == first || blocks.period() == 1) {
          blocks.spread(statistics.mean.data<T>(), b, mean);
          blocks.spread(scales.data(), b, scale);
          blocks.spread(shifts.data(), b, shift);
        }
        const T* from = in.read(b);
        T* to = out.target(b);
        const auto pass = [&](const auto& finish) {
          for_lanes(b.count, blocks.lanes(), [=](std::int64_t e, std::int64_t l) {
            to[e] = finish((from[e] - mean[l]) * scale[l] + shift[l], e);
          });
        };
        const functor::Relu relu;
        const T* added = adds ? rest.read(b) : nullptr;
        if (!ending.relu) pass([](T v, std::int64_t) { return v; });
        else if (!adds) pass([=](T v, std::int64_t) { return relu(v); });
        else pass([=](T v, std::int64_t e) { return relu(v + added[e]); });
        out.write(b);
      }
    });
  });
}

ChannelGradients channel_gradients(const Tensor& g, const Tensor& x, const ChannelStatistics& statistics) {
  const ChannelBlocks blocks(x.layout());
  const std::int64_t channels = blocks.channels();
  const TensorOptions options{.dtype = compute_dtype(x.dtype())};
  ChannelGradients result{empty({channels}, options), empty({channels}, options)};
  dispatch<full_floating>(options.dtype, "batch_norm", [&]<class T> {
    Partials biases(blocks), weights(blocks);
    for_blocks(blocks, [&](std::int64_t first, std::int64_t last) {
      Reader<T> gradients(g, blocks.largest()), values(x, blocks.largest());
      std::vector<T> memory(size_for(3 * blocks.lanes()));
      T *bias = memory.data(), *weight = bias + blocks.lanes(), *mean = weight + blocks.lanes();
      for (std::int64_t i = first; i < last; ++i) {
        const ChannelBlocks::Block b = blocks[i];
        const T *gs = gradients.read(b), *xs = values.read(b);
        blocks.spread(statistics.mean.data<T>(), b, mean);
        for (std::int64_t l = 0; l < blocks.lanes(); ++l) bias[l] = weight[l] = 0;
        for_lanes(b.count, blocks.lanes(), [=](std::int64_t e, std::int64_t l) {
          bias[l] += gs[e];
          weight[l] += gs[e] * (xs[e] - mean[l]);
        });
        blocks.fold(bias);
        blocks.fold(weight);
        for (std::int64_t c = 0; c < blocks.period(); ++c) {
          biases.at(b)[c] = static_cast<double>(bias[c]);
          weights.at(b)[c] = static_cast<double>(weight[c]);
        }
      }
    });
    const std::int64_t slots = blocks.slots();
    for (std::int64_t c = 0; c < channels; ++c) {
      double bias = 0, weight = 0;
      for (std::int64_t s = 0; s < slots; ++s) {
        bias += biases.values[size_for(s * channels + c)];
        weight += weights.values[size_for(s * channels + c)];
      }
      result.bias.data<T>()[c] = static_cast<T>(bias);
      result.weight.data<T>()[c] = static_cast<T>(weight) * statistics.rstd.data<T>()[c];
    }
  });
  return result;
}

void normalize_channels_gradient(const Tensor& g, const Tensor& x, const ChannelStatistics& statistics,
                                 const Tensor& weight, const ChannelGradients& sums, bool training, Tensor& dx) {
  const ChannelBlocks blocks(dx.layout());
  const std::int64_t channels = blocks.channels();
  dispatch<full_floating>(compute_dtype(x.dtype()), "batch_norm", [&]<class T> {
    // dx = scale · (g - Σ g / n - (x - mean) · rstd · Σ g x̂ / n), as g · a + (x - mean) · b + c
    std::vector<T> a = channel_values<T>(weight, channels, 1), b(size_for(channels)), c(size_for(channels));
    const T n = static_cast<T>(x.numel() / std::max<std::int64_t>(channels, 1));
    for (std::int64_t k = 0; k < channels; ++k) {
      const T rstd = statistics.rstd.data<T>()[k];
      T& scale = a[size_for(k)];
      scale *= rstd;
      if (!training) continue;
      b[size_for(k)] = -scale * rstd * sums.weight.data<T>()[k] / n;
      c[size_for(k)] = -scale * sums.bias.data<T>()[k] / n;
    }
    for_blocks(blocks, [&](std::int64_t first, std::int64_t last) {
      Reader<T> gradients(g, blocks.largest()), values(x, blocks.largest()), out(dx, blocks.largest());
      std::vector<T> memory(size_for(4 * blocks.lanes()));
      const std::int64_t lanes = blocks.lanes();
      T *mean = memory.data(), *of_g = mean + lanes, *of_x = of_g + lanes, *rest = of_x + lanes;
      for (std::int64_t i = first; i < last; ++i) {
        const ChannelBlocks::Block block = blocks[i];
        blocks.spread(statistics.mean.data<T>(), block, mean);
        blocks.spread(a.data(), block, of_g);
        blocks.spread(b.data(), block, of_x);
        blocks.spread(c.data(), block, rest);
        const T *gs = gradients.read(block), *xs = values.read(block);
        T* to = out.target(block);
        for_lanes(block.count, lanes, [=](std::int64_t e, std::int64_t l) {
          to[e] = gs[e] * of_g[l] + (xs[e] - mean[l]) * of_x[l] + rest[l];
        });
        out.write(block);
      }
    });
  });
}

}  // namespace minima::detail
