#include <minima/nn/parametrize/prune.h>

#include <minima/autograd/mode.h>
#include <minima/nn/module/listed_parameter.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/registry.h>
#include <minima/nn/parametrize/computed.h>
#include <minima/nn/parametrize/parametrize.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/random/generator.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::nn::prune {

namespace {

using nn::detail::ListedBuffer;
using nn::detail::ListedParameter;
using nn::detail::Registry;

struct Pruned {
  Tensor original, mask;
};

std::string original_name(const std::string& name) { return name + "_orig"; }
std::string mask_name(const std::string& name) { return name + "_mask"; }

bool has_mask(const ModuleBase& module, const std::string& name) {
  return Registry::find_item(module, mask_name(name)) != nullptr;
}

/// The parameter and its mask, of ones if it is not pruned yet.
Pruned find(const char* op, ModuleBase& module, const std::string& name) {
  if (has_mask(module, name))
    return {Registry::find_item(module, original_name(name))->as<ListedParameter>()->value,
            Registry::find_item(module, mask_name(name))->as<ListedBuffer>()->value};
  const Tensor& member = nn::detail::parameter_member(op, module, name);
  if (is_parametrized(module, name))
    throw ValueError(str(op, ": \"", name, "\" is parametrized; remove the parametrization first"));
  return {member, ones_like(member)};
}

void compute(ModuleBase& module, const std::string& name) {
  const Pruned pruned = find("prune", module, name);
  nn::detail::parameter_member("prune", module, name) = pruned.original * pruned.mask;
}

void set_mask(ModuleBase& module, const std::string& name, const Pruned& before, const Tensor& mask) {
  if (has_mask(module, name)) {
    copy_(before.mask, mask);
    compute(module, name);
    return;
  }
  Registry::add_item(module, original_name(name), ListedParameter(before.original));
  Registry::add_item(module, mask_name(name), ListedBuffer(mask));
  nn::detail::make_computed(module, name, compute);
}

/// The mask without the `count` elements of least importance among those it keeps, both vectors.
Tensor without_least(const Tensor& mask, const Tensor& importance, std::int64_t count) {
  if (count == 0) return mask;
  const Tensor ranked = where(mask != 0, importance.to(DType::float64), HUGE_VAL);
  const Tensor least = topk(ranked, count, 0, false).indices;
  return index_fill(mask, 0, least, 0);
}

std::int64_t kept(const Tensor& mask) { return count_nonzero(mask).item<std::int64_t>(); }

Tensor draw(const Tensor& like, RandomGenerator* generator) {
  return rand(like.shape(), {.dtype = DType::float64, .device = like.device()}, generator);
}

template <class Importance>
void prune_elements(const char* op, ModuleBase& module, const std::string& name, Amount amount, Importance importance) {
  const NoGrad constant;
  const Pruned before = find(op, module, name);
  const Tensor mask = reshape(before.mask, {-1});
  const Tensor after = without_least(mask, reshape(importance(before.original), {-1}), amount.of(kept(mask)));
  set_mask(module, name, before, reshape(after, before.mask.shape()));
}

/// `importance` maps the parameter as a matrix [slices, rest] to a number per slice.
template <class Importance>
void prune_slices(const char* op, ModuleBase& module, const std::string& name, Amount amount, std::int64_t dim,
                  Importance importance) {
  const NoGrad constant;
  const Pruned before = find(op, module, name);
  const int axis = wrap_dim(dim, before.original.rank(), op);
  const auto rows = [&](const Tensor& x) { return reshape(movedim(x, {axis}, {0}), {x.size(axis), -1}); };
  const Tensor alive = amax(rows(before.mask), -1);
  const Tensor slices = without_least(alive, importance(rows(before.original * before.mask)), amount.of(kept(alive)));
  Shape shape = Shape::filled(before.original.rank(), 1);
  shape[axis] = before.original.size(axis);
  set_mask(module, name, before, before.mask * reshape(slices, shape));
}

}  // namespace

std::int64_t Amount::of(std::int64_t total) const {
  if (!(value_ >= 0) || (!is_count_ && value_ > 1))
    throw ValueError(str("prune: the amount must be a fraction in [0, 1] or a count, not ", value_));
  if (is_count_ && value_ > static_cast<double>(total))
    throw ValueError(str("prune: cannot prune ", value_, " of ", total));
  return is_count_ ? static_cast<std::int64_t>(value_) : std::llrint(value_ * static_cast<double>(total));
}

void custom_from_mask(ModuleBase& module, const std::string& name, const Tensor& mask) {
  const NoGrad constant;
  const Pruned before = find("custom_from_mask", module, name);
  if (mask.shape() != before.original.shape())
    throw ShapeError(str("custom_from_mask: the mask must have the parameter's shape ", before.original.shape(),
                         ", not ", mask.shape()));
  set_mask(module, name, before, before.mask * mask.to(before.mask.device(), before.mask.dtype()));
}

void identity(ModuleBase& module, const std::string& name) {
  const NoGrad constant;
  const Pruned before = find("identity", module, name);
  set_mask(module, name, before, before.mask);
}

void random_unstructured(ModuleBase& module, const std::string& name, Amount amount, RandomGenerator* generator) {
  prune_elements("random_unstructured", module, name, amount, [&](const Tensor& x) { return draw(x, generator); });
}

void l1_unstructured(ModuleBase& module, const std::string& name, Amount amount) {
  prune_elements("l1_unstructured", module, name, amount, [](const Tensor& x) { return abs(x); });
}

void random_structured(ModuleBase& module, const std::string& name, Amount amount, std::int64_t dim,
                       RandomGenerator* generator) {
  prune_slices("random_structured", module, name, amount, dim,
               [&](const Tensor& rows) { return draw(select(rows, 1, 0), generator); });
}

void ln_structured(ModuleBase& module, const std::string& name, Amount amount, double n, std::int64_t dim) {
  prune_slices("ln_structured", module, name, amount, dim, [n](const Tensor& rows) { return norm(rows, n, -1); });
}

void global_l1_unstructured(const std::vector<Target>& targets, Amount amount) {
  const NoGrad constant;
  std::vector<Pruned> before;
  std::vector<Tensor> masks, magnitudes;
  for (const Target& target : targets) {
    before.push_back(find("global_l1_unstructured", *target.module, target.name));
    masks.push_back(reshape(before.back().mask, {-1}));
    magnitudes.push_back(reshape(abs(before.back().original), {-1}));
  }
  if (targets.empty()) throw ValueError("global_l1_unstructured: needs at least one parameter");
  const Tensor mask = cat(masks), after = without_least(mask, cat(magnitudes), amount.of(kept(mask)));
  std::int64_t start = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::int64_t count = masks[i].numel();
    const Tensor part = slice(after, 0, start, start + count);
    set_mask(*targets[i].module, targets[i].name, before[i], clone(reshape(part, before[i].mask.shape())));
    start += count;
  }
}

bool is_pruned(const ModuleBase& module) {
  bool found = false;
  Registry::walk(module, [&](const std::string&, const ModuleBase& inner) {
    for (const std::string& item : Registry::state(inner).item_names)
      if (item.size() > 5 && item.ends_with("_mask") && has_mask(inner, item.substr(0, item.size() - 5)) &&
          nn::detail::is_computed(inner, item.substr(0, item.size() - 5)))
        found = true;
  });
  return found;
}

void remove(ModuleBase& module, const std::string& name) {
  if (!has_mask(module, name))
    throw ValueError(str("prune::remove: \"", name, "\" of ", module.type_name(), " is not pruned"));
  const NoGrad constant;
  const Pruned pruned = find("prune::remove", module, name);
  // An optimizer that knows the original goes on with it.
  Parameter value = pruned.original;
  copy_(value, value * pruned.mask);
  nn::detail::make_parameter("prune::remove", module, name, value);
  Registry::remove_item(module, original_name(name));
  Registry::remove_item(module, mask_name(name));
}

}  // namespace minima::nn::prune
