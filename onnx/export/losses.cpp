#include <minima/onnx/export/activations.h>
#include <minima/onnx/export/emitter.h>
#include <minima/ops/core/reduction.h>
#include <minima/tensor/base/dtype.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Losses, so that a graph can hold what a training minimises.

namespace minima::onnx::detail {

namespace {

/// f(emitter, x, target) in the loss's dtype.
template <class F>
Translation loss(F f) {
  return [f](Emitter& e) { e.bind(f(e, e.in(0, e.output().dtype), e.in(1, e.output().dtype))); };
}

std::string figure(Emitter& e, double value) { return e.constant(value, e.output().dtype); }
std::string minus(Emitter& e, const std::string& a, const std::string& b) { return e.node("Sub", {a, b}); }

std::string huber(Emitter& e, const std::string& x, const std::string& t) {
  const double corner = e.number("corner"), slope = e.number("slope");
  const std::string size = e.node("Abs", {minus(e, x, t)});
  const std::string inside = product(e, product(e, size, size), figure(e, 0.5 * slope / corner)),
                    outside = product(e, minus(e, size, figure(e, 0.5 * corner)), figure(e, slope));
  return e.node("Where", {e.node("LessOrEqual", {size, figure(e, corner)}), inside, outside});
}

std::string of_probabilities(Emitter& e, const std::string& p, const std::string& t) {
  const auto logarithm = [&](const std::string& of) {
    return e.node("Clip", {e.node("Log", {of}), figure(e, -100), ""});
  };
  const std::string one = figure(e, 1);
  return minus(e, product(e, minus(e, t, one), logarithm(minus(e, one, p))), product(e, t, logarithm(p)));
}

/// log(1 + eˣ) - t·x
std::string of_logits(Emitter& e, const std::string& x, const std::string& t) {
  const std::string rest = e.node("Softplus", {e.node("Neg", {e.node("Abs", {x})})});
  return sum(e, minus(e, e.node("Relu", {x}), product(e, x, t)), rest);
}

std::string divergence(Emitter& e, const std::string& x, const std::string& t) {
  const std::string zero = figure(e, 0);
  const std::string entropy = e.node("Where", {e.node("Equal", {t, zero}), zero, product(e, t, e.node("Log", {t}))});
  return minus(e, entropy, product(e, t, x));
}

/// The cross entropy of logits with the classes in input `target`, of which input target + 1 has weights.
void of_classes(Emitter& e, const std::string& logits, int rank, std::int64_t count, std::size_t target) {
  const DType dtype = e.output().dtype;
  const int dim = rank == 1 ? 0 : 1;
  const auto reduction = static_cast<Reduction>(e.integer("reduction"));
  const std::int64_t ignored = e.integer("ignore_index");
  const double smoothing = e.number("smoothing");
  const std::size_t weights = target + 1;
  if (smoothing == 0 && rank > 1) {
    const char* names[] = {"none", "mean", "sum"};
    std::vector<std::string> inputs{logits, e.in(target)};
    if (e.has(weights)) inputs.push_back(e.in(weights, dtype));
    return e.bind(e.node("SoftmaxCrossEntropyLoss", inputs,
                         {word("reduction", names[static_cast<int>(reduction)]), integer("ignore_index", ignored)}));
  }
  const std::string classes = e.in(target), zero = figure(e, 0), axis = e.constant(Shape{dim});
  const std::string skipped = e.node("Equal", {classes, e.constant(static_cast<double>(ignored), DType::int64)});
  const std::string known = e.node("Where", {skipped, e.constant(0, DType::int64), classes});
  const std::string logs = e.node("LogSoftmax", {logits}, {integer("axis", dim)});
  const std::string picked =
      e.node("GatherElements", {logs, e.node("Unsqueeze", {known, axis})}, {integer("axis", dim)});
  std::string losses = e.node("Neg", {e.node("Squeeze", {picked, axis})}), weight, terms = logs;
  if (e.has(weights)) {
    weight = e.node("Gather", {e.in(weights, dtype), known}, {integer("axis", 0)});
    losses = product(e, losses, weight);
    Shape others;
    for (int d = 0; d < rank; ++d)
      if (d != dim) others.push_back(d);
    const std::string of_classes = e.in(weights, dtype);
    terms = product(e, logs, others.rank() == 0 ? of_classes : e.node("Unsqueeze", {of_classes, e.constant(others)}));
  }
  if (smoothing != 0) {
    const std::string all = e.node("ReduceSum", {terms, axis}, {integer("keepdims", 0)});
    losses = minus(e, product(e, losses, figure(e, 1 - smoothing)),
                   product(e, all, figure(e, smoothing / static_cast<double>(count))));
  }
  losses = e.node("Where", {skipped, zero, losses});
  if (reduction == Reduction::none) return e.bind(losses);
  Shape all;
  for (int d = 0; d < rank - 1; ++d) all.push_back(d);
  const auto total = [&](const std::string& of) {
    return all.rank() == 0 ? of : e.node("ReduceSum", {of, e.constant(all)}, {integer("keepdims", 0)});
  };
  if (reduction == Reduction::sum) return e.bind(total(losses));
  e.bind(
      e.node("Div", {total(losses), total(e.node("Where", {skipped, zero, weight.empty() ? figure(e, 1) : weight}))}));
}

}  // namespace

void add_losses(Translations& t) {
  t["mse_loss"] = loss([](Emitter& e, const std::string& x, const std::string& target) {
    const std::string distance = minus(e, x, target);
    return product(e, distance, distance);
  });
  t["l1_loss"] = loss(
      [](Emitter& e, const std::string& x, const std::string& target) { return e.node("Abs", {minus(e, x, target)}); });
  t["smooth_l1_loss"] = t["huber_loss"] = loss(huber);
  t["binary_cross_entropy"] = loss(of_probabilities);
  t["binary_cross_entropy_with_logits"] = loss(of_logits);
  t["kl_div"] = loss(divergence);
  t["kl_div_log_target"] = loss([](Emitter& e, const std::string& x, const std::string& target) {
    return product(e, e.node("Exp", {target}), minus(e, target, x));
  });
  t["cross_entropy"] = [](Emitter& e) {
    const Shape& shape = e.input(0).shape;
    of_classes(e, e.in(0, e.output().dtype), shape.rank(), shape[shape.rank() == 1 ? 0 : 1], 1);
  };
  t["linear_cross_entropy"] = [](Emitter& e) {
    of_classes(e, e.cast(linear(e, e.in(0), 2, 1), e.input(0).dtype, e.output().dtype), 2, e.input(1).shape[0], 3);
  };
}

}  // namespace minima::onnx::detail
