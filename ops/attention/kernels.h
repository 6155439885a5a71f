#pragma once

#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <memory>

// The kernels of attention and rotary_embedding. Internal.

namespace minima::detail {

struct AttentionAttributes {
  bool causal;
  std::int64_t window;  ///< 0 if there is none
  double scale;
  double dropout;     ///< the probability that a weight becomes 0, below 1
  PhiloxState start;  ///< state for dropout's random numbers
  /// Null: dropout keeps the weights that dropout() keeps, on any device. Otherwise cuDNN may draw by its own rule, in
  /// both directions, and sets it if it does.
  std::shared_ptr<bool> drawn_by_cudnn{};
};

/// y from q, k, v and an optional mask and bounds (segments.h), and for each query [batch · heads · L, 2], in the
/// compute dtype, its largest score and the scale of its weights exp(score - largest)·scale (+inf and 0 for a query
/// that sees no key). Their logarithm in one number would lose the scale of a row whose mask is the lowest number
/// throughout. y's last dimension has stride 1.
void attention_kernel_cpu(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                          const Tensor& mask, const Tensor& bounds, Tensor& y, Tensor& levels);

/// The gradients of q, k and v, any of which may be undefined; their last dimensions have stride 1.
void attention_gradient_kernel_cpu(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                   const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& bounds,
                                   const Tensor& y, const Tensor& levels, const Tensor& dq, const Tensor& dk,
                                   const Tensor& dv);

/// The same on CUDA, by cuDNN where it can, else by minima's kernels. In half types levels are log Σ exp of each
/// query's scores [batch · heads · L], as cuDNN has them, and a finite mask below -65,536 counts as -65,536.
void attention_kernel_cuda(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                           const Tensor& mask, const Tensor& bounds, const Tensor& y, const Tensor& levels);
void attention_gradient_kernel_cuda(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                    const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& bounds,
                                    const Tensor& y, const Tensor& levels, const Tensor& dq, const Tensor& dk,
                                    const Tensor& dv);

/// The bounds of segments [B, L], contiguous int64, as segments.h says.
void segment_bounds_cpu(const char* op, const Tensor& segments, Tensor& bounds);
void segment_bounds_cuda(const Tensor& segments, Tensor& bounds);

/// Attention and its gradient by cuDNN's flash attention, in half types. Returns false, with nothing done, where cuDNN
/// cannot. Throws an Error if cuDNN refuses the gradient of dropout that it drew.
bool attention_by_cudnn(const AttentionAttributes& attributes, const Tensor& q, const Tensor& k, const Tensor& v,
                        const Tensor& mask, const Tensor& y, const Tensor& log_sum);
bool attention_gradient_by_cudnn(const AttentionAttributes& attributes, const Tensor& g, const Tensor& q,
                                 const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& y,
                                 const Tensor& log_sum, const Tensor& dq, const Tensor& dk, const Tensor& dv);

// Declares the kernels of minima that cuDNN's attention needs; attention_cuda.cu defines them.

/// The mask [batch, heads, L, S] as float32 to add to scores, in rows of `row` elements: -1e30 for what it hides. cuDNN
/// makes NaN of a row of -inf.
void write_attention_bias(const Tensor& mask, const Tensor& bias, std::int64_t row);
/// For queries of which the bias hides all keys: zeros in y, and +inf for log Σ exp, with which cuDNN's gradients are
/// 0.
void clear_hidden_queries(const Tensor& log_sum, const Tensor& y);
/// seeds [4] int64: the seed, in place 0, and the position, in place 2.
void write_seeds(const PhiloxState& start, const Tensor& seeds);

/// A rotation of pairs of columns. Views [..., T, pairs] of the operands: x and y hold the first of each pair, the
/// second being `x_partner` and `y_partner` elements after it.
struct Rotation {
  bool inverse;  ///< turns back: the sine counts as negative
  Tensor x, cos, sin, y;
  std::int64_t x_partner, y_partner;
};
void rotate_cpu(const Rotation& rotation);
void rotate_cuda(const Rotation& rotation);

}  // namespace minima::detail
