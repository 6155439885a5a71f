#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

// The rows of the operator benchmark, shared by both libraries: `Tensor`, `Shape` and the functions are minima's
// (minima.h) or LibTorch's (../libtorch/torch.h), depending on which header is included first. Those headers give
// functions one name where the libraries differ. Everything is float32.

namespace rows {

using Inputs = const std::vector<Tensor>&;
using Work = std::function<Tensor()>;

struct Row {
  std::string name;
  std::function<Work()> prepare;  ///< makes the inputs; the returned function is timed
};

/// The description of an input.
struct In {
  enum class Kind { normal, small, positive, definite, index } kind = Kind::normal;
  Shape shape;
  std::int64_t count = 0;  ///< upper bound of an index

  Tensor make() const {
    if (kind == Kind::index) return random_indices(shape, count);
    if (kind == Kind::definite) return positive_definite(shape);
    if (kind == Kind::small) return normal(shape) * 0.05;
    return kind == Kind::normal ? normal(shape) : positive(shape);
  }
};
inline In x(Shape shape) { return {In::Kind::normal, std::move(shape)}; }
/// A weight whose products keep their scale, so that gates are not saturated.
inline In small(Shape shape) { return {In::Kind::small, std::move(shape)}; }
inline In above_zero(Shape shape) { return {In::Kind::positive, std::move(shape)}; }
inline In definite(Shape shape) { return {In::Kind::definite, std::move(shape)}; }
inline In index_below(std::int64_t count, Shape shape) { return {In::Kind::index, std::move(shape), count}; }

class Rows {
 public:
  std::vector<Row> list;

  /// The operator only; nothing is recorded.
  template <class F>
  void forward(const std::string& name, std::vector<In> ins, F f) {
    list.push_back({name, [ins, f]() -> Work { return [made = make(ins), f] { return Tensor(f(made)); }; }});
  }
  /// The operator and the gradients with respect to all floating inputs.
  template <class F>
  void training(const std::string& name, std::vector<In> ins, F f) {
    list.push_back({name + "/training", [ins, f]() -> Work {
                      const std::vector<Tensor> made = make(ins);
                      std::vector<Tensor> wanted;
                      for (std::size_t i = 0; i < ins.size(); ++i)
                        if (ins[i].kind != In::Kind::index) wanted.push_back(require_grad(made[i]));
                      const Tensor g = normal_like(f(made));
                      return [made, wanted, g, f] { return gradients(f(made), wanted, g); };
                    }});
  }
  template <class F>
  void both(const std::string& name, const std::vector<In>& ins, F f) {
    forward(name, ins, f);
    training(name, ins, f);
  }

 private:
  static std::vector<Tensor> make(const std::vector<In>& ins) {
    std::vector<Tensor> made;
    for (const In& in : ins) made.push_back(in.make());
    return made;
  }
};

/// 4M elements: 16 MiB, more than a core's caches.
inline const Shape big{1024, 4096};

inline void add_pointwise(Rows& r) {
  r.both("add", {x(big), x(big)}, [](Inputs in) { return in[0] + in[1]; });
  r.both("mul", {x(big), x(big)}, [](Inputs in) { return in[0] * in[1]; });
  r.forward("div", {x(big), above_zero(big)}, [](Inputs in) { return in[0] / in[1]; });
  r.forward("add_number", {x(big)}, [](Inputs in) { return in[0] + 2.5; });
  r.both("add_row", {x(big), x({4096})}, [](Inputs in) { return in[0] + in[1]; });
  r.forward("add_column", {x(big), x({1024, 1})}, [](Inputs in) { return in[0] + in[1]; });
  r.forward("add_transposed", {x({2048, 2048}), x({2048, 2048})},
            [](Inputs in) { return in[0] + transpose(in[1], 0, 1); });
  r.forward("add_in_place", {x(big), x(big)}, [](Inputs in) { return add_into(in[0], in[1]); });
  r.forward("maximum", {x(big), x(big)}, [](Inputs in) { return maximum(in[0], in[1]); });
  r.forward("less", {x(big), x(big)}, [](Inputs in) { return lt(in[0], in[1]); });
  r.forward("where", {x(big), x(big), x(big)}, [](Inputs in) { return where(gt(in[0], 0), in[1], in[2]); });
  r.forward("clamp", {x(big)}, [](Inputs in) { return clamp(in[0], -1, 1); });
  r.forward("exp", {x(big)}, [](Inputs in) { return exp(in[0]); });
  r.forward("log", {above_zero(big)}, [](Inputs in) { return log(in[0]); });
  r.forward("sqrt", {above_zero(big)}, [](Inputs in) { return sqrt(in[0]); });
  r.forward("rsqrt", {above_zero(big)}, [](Inputs in) { return rsqrt(in[0]); });
  r.forward("pow", {above_zero(big)}, [](Inputs in) { return pow(in[0], 2.5); });
  r.forward("sin", {x(big)}, [](Inputs in) { return sin(in[0]); });
  r.forward("erf", {x(big)}, [](Inputs in) { return erf(in[0]); });
  r.both("relu", {x(big)}, [](Inputs in) { return relu(in[0]); });
  r.both("leaky_relu", {x(big)}, [](Inputs in) { return leaky_relu(in[0], 0.1); });
  r.both("gelu", {x(big)}, [](Inputs in) { return gelu(in[0]); });
  r.both("silu", {x(big)}, [](Inputs in) { return silu(in[0]); });
  r.both("sigmoid", {x(big)}, [](Inputs in) { return sigmoid(in[0]); });
  r.both("tanh", {x(big)}, [](Inputs in) { return tanh(in[0]); });
  r.both("softplus", {x(big)}, [](Inputs in) { return softplus(in[0]); });
  r.forward("elu", {x(big)}, [](Inputs in) { return elu(in[0]); });
  r.forward("hardswish", {x(big)}, [](Inputs in) { return hardswish(in[0]); });
  r.forward("to_bfloat16", {x(big)}, [](Inputs in) { return to_bfloat16(in[0]); });
  r.both("dropout", {x(big)}, [](Inputs in) { return dropout(in[0], 0.1, true); });
}

inline void add_reductions(Rows& r) {
  r.forward("sum", {x(big)}, [](Inputs in) { return sum(in[0]); });
  r.both("sum_rows", {x(big)}, [](Inputs in) { return sum(in[0], {1}); });
  r.forward("sum_columns", {x(big)}, [](Inputs in) { return sum(in[0], {0}); });
  r.both("mean_channels", {x({32, 32, 64, 64})}, [](Inputs in) { return mean(in[0], {0, 2, 3}); });
  r.both("var_rows", {x(big)}, [](Inputs in) { return variance(in[0], 1); });
  r.forward("amax_rows", {x(big)}, [](Inputs in) { return amax(in[0], {1}); });
  r.forward("argmax_rows", {x(big)}, [](Inputs in) { return argmax(in[0], 1); });
  r.forward("norm", {x(big)}, [](Inputs in) { return norm(in[0]); });
  r.forward("logsumexp_rows", {x(big)}, [](Inputs in) { return logsumexp(in[0], {1}); });
  r.both("softmax_rows", {x(big)}, [](Inputs in) { return softmax(in[0], 1); });
  r.forward("softmax_columns", {x(big)}, [](Inputs in) { return softmax(in[0], 0); });
  r.both("log_softmax_rows", {x(big)}, [](Inputs in) { return log_softmax(in[0], 1); });
  r.both("cross_entropy", {x(big), index_below(4096, {1024})}, [](Inputs in) { return cross_entropy(in[0], in[1]); });
  r.forward("cumsum_rows", {x(big)}, [](Inputs in) { return cumsum(in[0], 1); });
  r.forward("sort_rows", {x({1024, 1024})}, [](Inputs in) { return sorted(in[0]); });
  r.forward("topk_rows", {x({1024, 4096})}, [](Inputs in) { return largest(in[0], 10); });
  r.both("mse_loss", {x(big), x(big)}, [](Inputs in) { return mse_loss(in[0], in[1]); });
  r.forward("smooth_l1_loss", {x(big), x(big)}, [](Inputs in) { return smooth_l1_loss(in[0], in[1]); });
  r.both("bce_with_logits", {x(big), above_zero(big)},
         [](Inputs in) { return binary_cross_entropy_with_logits(in[0], in[1]); });
}

inline void add_products(Rows& r) {
  r.forward("matmul_512", {x({512, 512}), x({512, 512})}, [](Inputs in) { return matmul(in[0], in[1]); });
  r.both("matmul_1024", {x({1024, 1024}), x({1024, 1024})}, [](Inputs in) { return matmul(in[0], in[1]); });
  r.forward("matmul_transposed", {x({1024, 1024}), x({1024, 1024})},
            [](Inputs in) { return matmul(in[0], transpose(in[1], 0, 1)); });
  r.forward("matmul_vector", {x({4096, 4096}), x({4096})}, [](Inputs in) { return matmul(in[0], in[1]); });
  r.both("matmul_batched", {x({64, 128, 64}), x({64, 64, 128})}, [](Inputs in) { return matmul(in[0], in[1]); });
  r.both("linear", {x({256, 1024}), x({1024, 1024}), x({1024})}, [](Inputs in) { return linear(in[0], in[1], in[2]); });
  r.forward("einsum_bqhd", {x({8, 128, 8, 64}), x({8, 128, 8, 64})},
            [](Inputs in) { return einsum("bqhd,bkhd->bhqk", {in[0], in[1]}); });
  r.both("attention_causal", {x({4, 8, 256, 64}), x({4, 8, 256, 64}), x({4, 8, 256, 64})},
         [](Inputs in) { return causal_attention(in[0], in[1], in[2]); });
}

inline void add_images(Rows& r) {
  r.both("conv_3x3", {x({16, 64, 28, 28}), x({64, 64, 3, 3}), x({64})},
         [](Inputs in) { return conv(in[0], in[1], in[2], 1, 1); });
  r.both("conv_1x1", {x({16, 256, 14, 14}), x({128, 256, 1, 1}), x({128})},
         [](Inputs in) { return conv(in[0], in[1], in[2], 1, 0); });
  r.forward("conv_7x7_stride_2", {x({4, 3, 224, 224}), x({64, 3, 7, 7}), x({64})},
            [](Inputs in) { return conv(in[0], in[1], in[2], 2, 3); });
  r.both("conv_depthwise", {x({16, 128, 28, 28}), x({128, 1, 3, 3}), x({128})},
         [](Inputs in) { return conv(in[0], in[1], in[2], 1, 1, 128); });
  r.both("conv_transpose_4x4_stride_2", {x({16, 64, 14, 14}), x({64, 64, 4, 4}), x({64})},
         [](Inputs in) { return conv_transpose(in[0], in[1], in[2], 2, 1); });
  r.forward("conv_1d", {x({16, 128, 512}), x({128, 128, 5}), x({128})},
            [](Inputs in) { return conv_of_sequences(in[0], in[1], in[2], 2); });
  r.both("conv_3d_3x3x3", {x({4, 32, 16, 28, 28}), x({32, 32, 3, 3, 3}), x({32})},
         [](Inputs in) { return conv_of_volumes(in[0], in[1], in[2], 1); });
  r.both("max_pool_3d_2x2x2", {x({4, 32, 16, 28, 28})}, [](Inputs in) { return max_pool_of_volumes(in[0], 2); });
  r.both("avg_pool_3d_2x2x2", {x({4, 32, 16, 28, 28})}, [](Inputs in) { return avg_pool_of_volumes(in[0], 2); });
  r.both("unfold_3x3", {x({16, 64, 28, 28})}, [](Inputs in) { return patches(in[0], 3, 1); });
  r.both("pixel_shuffle", {x({16, 64, 56, 56})}, [](Inputs in) { return pixel_shuffle(in[0], 2); });
  r.both("grid_sample", {x({4, 32, 64, 64}), x({4, 64, 64, 2})}, [](Inputs in) { return sampled(in[0], in[1]); });
  r.both("upsample_nearest", {x({16, 64, 28, 28})}, [](Inputs in) { return upsample_nearest(in[0], 56); });
  r.both("upsample_bilinear", {x({16, 64, 28, 28})}, [](Inputs in) { return upsample_bilinear(in[0], 56); });
  r.both("max_pool_3x3", {x({16, 64, 56, 56})}, [](Inputs in) { return max_pool(in[0], 3, 2, 1); });
  r.both("avg_pool_2x2", {x({16, 64, 56, 56})}, [](Inputs in) { return avg_pool(in[0], 2, 2); });
  r.both("batch_norm", {x({16, 64, 56, 56}), x({64}), x({64})},
         [](Inputs in) { return train_batch_norm(in[0], in[1], in[2]); });
  r.both("layer_norm", {x({4096, 1024}), x({1024}), x({1024})},
         [](Inputs in) { return layer_norm(in[0], {1024}, in[1], in[2]); });
  r.both("group_norm", {x({16, 64, 56, 56}), x({64}), x({64})},
         [](Inputs in) { return group_norm(in[0], 8, in[1], in[2]); });
  r.forward("rms_norm", {x({4096, 1024}), x({1024})}, [](Inputs in) { return rms_norm(in[0], {1024}, in[1], 1e-6); });
}

inline void add_linear_algebra(Rows& r) {
  const auto add = [&](const std::string& size, const Shape& shape, const Shape& tall) {
    r.both("cholesky" + size, {definite(shape)}, [](Inputs in) { return cholesky_factor(in[0]); });
    r.both("solve" + size, {x(shape), x(shape)}, [](Inputs in) { return solved(in[0], in[1]); });
    r.forward("solve_triangular" + size, {definite(shape), x(shape)},
              [](Inputs in) { return solved_triangular(in[0], in[1]); });
    r.both("inv" + size, {x(shape)}, [](Inputs in) { return inverse_of(in[0]); });
    r.forward("slogdet" + size, {x(shape)}, [](Inputs in) { return log_determinant(in[0]); });
    r.forward("qr" + size, {x(tall)}, [](Inputs in) { return orthonormal(in[0]); });
    r.forward("eigh" + size, {definite(shape)}, [](Inputs in) { return eigenvectors(in[0]); });
    r.forward("svd" + size, {x(shape)}, [](Inputs in) { return singular_vectors(in[0]); });
    r.forward("svdvals" + size, {x(shape)}, [](Inputs in) { return singular_values(in[0]); });
    r.forward("matrix_exp" + size, {definite(shape)}, [](Inputs in) { return exponential_of(in[0]); });
  };
  add("_16_batched", {256, 16, 16}, {256, 32, 16});
  add("_512", {512, 512}, {1024, 512});
}

inline void add_arrangements(Rows& r) {
  r.forward("copy", {x(big)}, [](Inputs in) { return clone(in[0]); });
  r.forward("copy_transposed", {x({2048, 2048})}, [](Inputs in) { return contiguous(transpose(in[0], 0, 1)); });
  r.forward("to_channels_last", {x({16, 64, 64, 64})}, [](Inputs in) { return channels_last(in[0]); });
  r.forward("copy_heads", {x({8, 512, 16, 64})}, [](Inputs in) { return contiguous(transpose(in[0], 1, 2)); });
  r.both("cat_rows", {x({512, 4096}), x({512, 4096})}, [](Inputs in) { return cat({in[0], in[1]}, 0); });
  r.forward("cat_columns", {x({1024, 2048}), x({1024, 2048})}, [](Inputs in) { return cat({in[0], in[1]}, 1); });
  r.forward("stack_last", {x({1024, 2048}), x({1024, 2048})}, [](Inputs in) { return stack({in[0], in[1]}, -1); });
  r.forward("pad", {x({16, 64, 62, 62})}, [](Inputs in) { return pad(in[0], {1, 1, 1, 1}); });
  r.forward("flip", {x(big)}, [](Inputs in) { return flip(in[0], {1}); });
  r.forward("roll", {x(big)}, [](Inputs in) { return roll(in[0], 5, 1); });
  r.forward("tril", {x({2048, 2048})}, [](Inputs in) { return tril(in[0]); });
  r.forward("repeat_interleave", {x({1024, 2048})}, [](Inputs in) { return repeat_interleave(in[0], 2, 1); });
  r.forward("masked_fill", {x(big), x(big)}, [](Inputs in) { return masked_fill(in[0], gt(in[1], 0), 0); });
  r.both("embedding", {x({32000, 256}), index_below(32000, {16384})}, [](Inputs in) { return look_up(in[0], in[1]); });
  r.both("index_select", {x(big), index_below(1024, {1024})}, [](Inputs in) { return index_select(in[0], 0, in[1]); });
  r.both("gather", {x(big), index_below(4096, big)}, [](Inputs in) { return gather(in[0], 1, in[1]); });
  r.forward("scatter_add", {x(big), index_below(4096, big), x(big)},
            [](Inputs in) { return scatter_add(in[0], 1, in[1], in[2]); });
  r.forward("nonzero", {x({1024, 1024})}, [](Inputs in) { return nonzero(gt(in[0], 0)); });
}

/// The operators that every network is made of.
inline void add_common(Rows& r) {
  add_pointwise(r);
  add_reductions(r);
  add_products(r);
  add_images(r);
  add_linear_algebra(r);
  add_arrangements(r);
}

}  // namespace rows
