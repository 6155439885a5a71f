#include <minima/io/text/columns.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/loss/loss.h>
#include <minima/ops/norm/layer_norm.h>
#include <minima/ops/norm/rms_norm.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/profiler/advice/rules.h>
#include <minima/profiler/profile.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

// Operators in a row that have a fused form. They are found by what reads what in the recorded graph, and tried on
// their own: forward and backward on tensors of the recorded shape.

namespace minima::profiler::detail {

namespace {

using Form = Tensor (*)(const Tensor& x);

/// `last` reads what `first` computes.
struct Chain {
  const char *first, *last;
  const char *composed_text, *fused_text;
  Form composed, fused;
  bool same_input = false;  ///< `last` also reads what `first` reads
  int rank = 0;             ///< of x; 0: any
};

Shape last_of(const Tensor& x) { return {x.size(x.rank() - 1)}; }
Tensor targets(const Tensor& x) { return zeros({x.size(0)}, {.dtype = DType::int64, .device = x.device()}); }

/// A new fused operator is a row here.
const std::vector<Chain>& chains() {
  static const std::vector<Chain> all{
      {.first = "sigmoid",
       .last = "mul",
       .composed_text = "x * sigmoid(x)",
       .fused_text = "silu(x)",
       .composed = [](const Tensor& x) { return x * sigmoid(x); },
       .fused = [](const Tensor& x) { return silu(x); },
       .same_input = true},
      {.first = "log_softmax",
       .last = "gather",
       .composed_text = "nll_loss(log_softmax(x, 1), y)",
       .fused_text = "cross_entropy(x, y)",
       .composed = [](const Tensor& x) { return nll_loss(log_softmax(x, 1), targets(x)); },
       .fused = [](const Tensor& x) { return cross_entropy(x, targets(x)); },
       .rank = 2},
      {.first = "softmax",
       .last = "log",
       .composed_text = "log(softmax(x, d))",
       .fused_text = "log_softmax(x, d)",
       .composed = [](const Tensor& x) { return log(softmax(x, -1)); },
       .fused = [](const Tensor& x) { return log_softmax(x, -1); }},
      {.first = "add",
       .last = "layer_norm",
       .composed_text = "layer_norm(x + h, …)",
       .fused_text = "auto [sum, y] = add_layer_norm(x, h, …)",
       .composed = [](const Tensor& x) { return layer_norm(x + x.detach(), last_of(x)); },
       .fused = [](const Tensor& x) { return add_layer_norm(x, x.detach(), last_of(x)).normalized; }},
      {.first = "add",
       .last = "rms_norm",
       .composed_text = "rms_norm(x + h, …)",
       .fused_text = "auto [sum, y] = add_rms_norm(x, h, …)",
       .composed = [](const Tensor& x) { return rms_norm(x + x.detach(), last_of(x)); },
       .fused = [](const Tensor& x) { return add_rms_norm(x, x.detach(), last_of(x)).normalized; }},
  };
  return all;
}

struct Match {
  const SurveyedCall *largest = nullptr, *last = nullptr;  ///< the chain of the largest tensor
  double elements = 0;                                     ///< of all of them
  std::string modules;
  int count = 0;
};

bool fits(const Chain& chain, const SurveyedCall& first, const SurveyedCall& last) {
  if (chain.rank > 0 && first.shape.rank() != chain.rank) return false;
  if (first.inputs.empty()) return false;
  for (const SurveyedCall::Input& input : first.inputs)
    if (input.has_gradient && input.shape != first.shape) return false;  // broadcasting
  if (!chain.same_input) return true;
  const SurveyedCall::Input& in = first.inputs.front();
  return std::any_of(last.inputs.begin(), last.inputs.end(), [&](const SurveyedCall::Input& other) {
    return other.node == in.node && other.shape == in.shape;
  });
}

Match find(const Chain& chain, const std::vector<SurveyedCall>& calls) {
  Match match;
  for (const SurveyedCall& last : calls) {
    if (last.op != chain.last) continue;
    for (const SurveyedCall& first : calls) {
      if (first.op != chain.first || !fits(chain, first, last)) continue;
      if (std::none_of(last.inputs.begin(), last.inputs.end(),
                       [&](const SurveyedCall::Input& input) { return input.node == first.node; }))
        continue;
      if (!match.largest || first.bytes > match.largest->bytes) match.largest = &first, match.last = &last;
      match.elements += first.bytes;
      if (match.count++ < 3)
        match.modules += (match.count > 1 ? ", " : "") + (last.module.empty() ? "the network" : last.module);
    }
  }
  if (match.count > 3) match.modules += ", …";
  return match;
}

/// The time at the roof of a form with its backward.
double seconds_at_roof(const Function<void()>& form, const Roof& roof) {
  Profile profile({.steps = 1, .gpu = false});
  form();
  profile.step();
  double sum = 0;
  for (const Row& row : profile.report(roof).rows)
    sum += std::max(row.roof_seconds, static_cast<double>(row.calls) * roof.call_seconds);
  return sum;
}

}  // namespace

void try_fusing(Workbench& bench) {
  for (const Chain& chain : chains()) {
    const Match match = find(chain, bench.calls());
    if (!match.largest) continue;
    Tensor x = ones(match.largest->shape, {.dtype = match.largest->dtype, .device = bench.device()});
    x.requires_grad(true);
    const auto run = [&x](Form form) {
      x.set_grad(Tensor());
      const Tensor y = form(x);
      y.backward(ones_like(y));
    };
    const Function<void()> composed = [&] { run(chain.composed); }, fused = [&] { run(chain.fused); };
    const Comparison alone = bench.compare(composed, fused);
    const double step = bench.compare([&] { bench.step(); }, [&] { bench.step(); }).before;
    const double scale = match.elements / match.largest->bytes;
    const auto gain_of = [&](double saved) { return step / std::max(step - scale * saved, step / 100); };
    const Roof& roof = bench.report().roof;
    Trial trial{.rule = "fusing",
                .change = str(chain.fused_text, " for ", chain.composed_text, "  // in ", match.modules),
                .promised = gain_of(seconds_at_roof(composed, roof) - seconds_at_roof(fused, roof))};
    Comparison whole{.before = step, .after = step / gain_of(alone.before - alone.after), .is_clear = alone.is_clear};
    whole.spread = whole.gain() * std::min(1.0, scale * alone.before / step) * alone.spread;
    bench.fill(trial, whole);
    trial.note = str("tried on its own, ", match.count, match.count > 1 ? " times" : " time",
                     " in a step: ", fixed(alone.gain(), 2), " times as fast");
    if (const std::string place = place_of(*match.last); !place.empty()) trial.note += "; see " + place;
    bench.add(std::move(trial));
  }
}

}  // namespace minima::profiler::detail
