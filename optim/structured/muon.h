#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

/// How Muon scales the learning rate by the shape [A, B] of a matrix.
enum class MuonScale {
  original,         ///< γ·√max(1, A/B)
  match_rms_adamw,  ///< γ·0.2·√max(A, B): lets you reuse AdamW's learning rate and decay (arXiv:2502.16982)
  spectral,         ///< γ·√(A/B)
};

struct MuonOptions {
  Setting<double> lr = preset(1e-3);
  Setting<double> weight_decay = preset(0.1);
  Setting<double> momentum = preset(0.95);
  Setting<bool> nesterov = preset(true);
  Setting<double> a = preset(3.4445), b = preset(-4.7750), c = preset(2.0315);  ///< Newton-Schulz coefficients
  Setting<double> eps = preset(1e-7);
  Setting<int> steps = preset(5);
  Setting<MuonScale> scale = preset(MuonScale::original);
  Setting<DType> products = preset(DType::bfloat16);  ///< dtype of the iteration

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("weight_decay", weight_decay), v("momentum", momentum), v("nesterov", nesterov);
    v("ns_a", a), v("ns_b", b), v("ns_c", c), v("eps", eps), v("ns_steps", steps);
    v("adjust_lr", scale), v("products", products);
  }
};
extern template class MINIMA_API Grouped<MuonOptions>;

/// Muon (Jordan et al. 2024, kellerjordan.github.io/posts/muon), as torch.optim.Muon: momentum orthogonalised by a
/// Newton-Schulz iteration. For the hidden matrices of a network; use AdamW for embeddings, heads, biases and norms.
///   m ← μm + (1-μ)g;   u = nesterov ? (1-μ)g + μm : m;   X = u/‖u‖
///   steps times: A = XXᵀ, X ← aX + (bA + cA²)X
///   θ ← (1 - γλ)θ - γ'X,   γ' by `scale`
/// Throws ShapeError for a parameter that is not a matrix.
class MINIMA_API Muon final : public Grouped<MuonOptions> {
 public:
  explicit Muon(const Parameters<MuonOptions>& parameters, const MuonOptions& options = {});

 private:
  void check_group(const std::vector<Tensor>& parameters) const override;
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
};

}  // namespace minima::optim
