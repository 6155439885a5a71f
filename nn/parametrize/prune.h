#pragma once

#include <minima/nn/module/module_base.h>
#include <minima/tensor/random/generator.h>

#include <concepts>
#include <string>
#include <vector>

// Pruning with torch.nn.utils.prune's names and state dicts: the parameter `weight` becomes `weight_orig`, and
// `weight_mask` is a buffer of zeros and ones. The member is their product, computed before each call of the module.
// Pruning again works on what is left. Prune before creating the optimizer.

namespace minima::nn::prune {

/// How much to prune: a fraction of what is left, or a number of elements (or of channels).
class Amount {
 public:
  Amount(std::floating_point auto fraction) : value_(static_cast<double>(fraction)) {}
  Amount(std::integral auto count) : value_(static_cast<double>(count)), is_count_(true) {}
  /// Returns the number of `total`, rounded. Throws ValueError if it is negative, or a fraction above 1.
  MINIMA_API std::int64_t of(std::int64_t total) const;

 private:
  double value_;
  bool is_count_ = false;
};

/// Multiplies the parameter by a mask of its shape, besides earlier ones. Throws ShapeError for another shape.
MINIMA_API void custom_from_mask(ModuleBase& module, const std::string& name, const Tensor& mask);
/// A mask of ones: parameters then have their names as after pruning.
MINIMA_API void identity(ModuleBase& module, const std::string& name);
/// Prunes random elements.
MINIMA_API void random_unstructured(ModuleBase& module, const std::string& name, Amount amount,
                                    RandomGenerator* generator = nullptr);
/// Prunes the elements of least magnitude.
MINIMA_API void l1_unstructured(ModuleBase& module, const std::string& name, Amount amount);
/// Prunes random slices along a dimension, such as output channels with `dim` = 0.
MINIMA_API void random_structured(ModuleBase& module, const std::string& name, Amount amount, std::int64_t dim,
                                  RandomGenerator* generator = nullptr);
/// Prunes the slices along a dimension with the least norm of order n.
MINIMA_API void ln_structured(ModuleBase& module, const std::string& name, Amount amount, double n, std::int64_t dim);

/// A module's own parameter.
struct Target {
  ModuleBase* module;
  std::string name;
};
/// Prunes the elements of least magnitude among all these parameters together.
MINIMA_API void global_l1_unstructured(const std::vector<Target>& targets, Amount amount);

/// Whether a module or a descendant is pruned.
MINIMA_API bool is_pruned(const ModuleBase& module);
/// Makes the product a parameter, as before pruning. Throws ValueError if it is not pruned.
MINIMA_API void remove(ModuleBase& module, const std::string& name);

}  // namespace minima::nn::prune
