#pragma once

#include <minima/nn/module/any_module.h>
#include <minima/nn/module/module_base.h>

#include <concepts>
#include <string>
#include <utility>
#include <vector>

// Parameters that are functions of other parameters, torch.nn.utils.parametrize. The originals take the parameter's
// place in parameters() and in the state dict, as `parametrizations.weight.original`; the member itself is recomputed
// before each call of the module, so between a step of the optimizer and the next call it is that of the last call.
// Parametrise before creating the optimizer. Modules that use a child's weight without calling the child do not work.

namespace minima::nn {

/// A function from original parameters to a parameter. Derive from it for functions with state:
///   struct Symmetric : nn::Parametrization {
///     Tensor forward(const std::vector<Tensor>& x) override { return triu(x[0]) + transpose(triu(x[0], 1), 0, 1); }
///   };
///   nn::register_parametrization(layer, "weight", Symmetric());
class MINIMA_API Parametrization : public ModuleBase {
 public:
  virtual Tensor forward(const std::vector<Tensor>& originals) = 0;
  /// One to three originals from which forward makes x, or something near it: x itself, unless overridden.
  virtual std::vector<Tensor> right_inverse(const Tensor& x) { return {x}; }
};

namespace detail {

/// The child `parametrizations.weight`: originals, and the functions to apply to them in turn as children 0, 1, ….
class MINIMA_API ParametrizationList : public ModuleBase {
 public:
  explicit ParametrizationList(const Tensor& value);
  Tensor forward();
  /// Throws ValueError if one behind the first wants several originals, or the result is not like the value, that of
  /// the parameter now. The first one's right_inverse makes the originals; later ones leave them as they are.
  void push_back(AnyModule function, const Tensor& value);
  bool has_one_original() const { return original.defined(); }

  Parameter original, original0, original1, original2;

 private:
  void store(const std::vector<Tensor>& originals);
  std::vector<Tensor> originals() const;
};

struct FunctionParametrization : Parametrization {
  explicit FunctionParametrization(Function<Tensor(const Tensor&)> f) : function(std::move(f)) {}
  Tensor forward(const std::vector<Tensor>& originals) override { return function(originals[0]); }
  Function<Tensor(const Tensor&)> function;
};

MINIMA_API void parametrize(ModuleBase& module, const std::string& name, AnyModule parametrization);

}  // namespace detail

/// Makes the module's own parameter `name` what the parametrization computes, after those registered before. Throws
/// ValueError if there is no such parameter, and for a result of another shape or dtype.
template <std::derived_from<Parametrization> P>
void register_parametrization(ModuleBase& module, const std::string& name, P parametrization) {
  detail::parametrize(module, name, std::move(parametrization));
}
/// The same for a function of one tensor: `register_parametrization(layer, "weight", [](auto& w) { return exp(w); })`.
/// If it is the first, its original starts as the parameter was.
template <class F>
requires(std::is_invocable_r_v<Tensor, F&, const Tensor&> && !std::derived_from<F, ModuleBase>)
void register_parametrization(ModuleBase& module, const std::string& name, F function) {
  detail::parametrize(module, name, detail::FunctionParametrization(std::move(function)));
}

/// Whether the module has parametrizations: of the parameter `name`, or of any if it is empty.
MINIMA_API bool is_parametrized(const ModuleBase& module, const std::string& name = "");

/// Makes `name` a parameter again: with the value computed, or if `leave_parametrized` is false its original. Throws
/// ValueError if it is not parametrized, or if there are several originals to be left.
MINIMA_API void remove_parametrizations(ModuleBase& module, const std::string& name, bool leave_parametrized = true);

}  // namespace minima::nn
