#include <minima/train/memory_budget/memory_budget.h>

#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/any_module.h>
#include <minima/nn/module/module_base.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/train/memory_budget/budget_impl.h>
#include <minima/train/memory_budget/budget_plan.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

struct Found {
  std::vector<nn::AnyModule> blocks;
  std::vector<std::string> names;
};

template <class List>
bool take_items(nn::ModuleBase& module, const std::string& path, Found& found) {
  const auto* list = module.as<List>();
  if (!list) return false;
  for (std::size_t i = 0; i < list->size(); ++i) {
    found.blocks.push_back((*list)[static_cast<std::int64_t>(i)]);
    found.names.push_back(path + (path.empty() ? "" : ".") + std::to_string(i));
  }
  return true;
}

/// Collects the children of the outermost lists.
void collect(nn::ModuleBase& module, const std::string& path, Found& found) {
  if (take_items<nn::Sequential>(module, path, found) || take_items<nn::ModuleList>(module, path, found)) return;
  for (const nn::NamedModule& child : module.children())
    collect(*child.module, path + (path.empty() ? "" : ".") + child.name, found);
}

}  // namespace

struct MemoryBudget::Handle {
  std::shared_ptr<Impl> impl;
};

MemoryBudget::MemoryBudget(const nn::ModuleBase& model, std::int64_t bytes, const MemoryBudgetOptions& options) {
  Found found;
  if (options.blocks.empty()) collect(const_cast<nn::ModuleBase&>(model), "", found);
  for (std::size_t i = 0; i < options.blocks.size(); ++i) {
    found.blocks.push_back(options.blocks[i]);
    found.names.push_back("block " + std::to_string(i));
  }
  if (found.blocks.empty())
    throw ValueError(str("memory_budget: ", model.type_name(),
                         " has no Sequential or ModuleList; name the blocks: {.blocks = {…}}"));
  if (bytes <= 0) throw ValueError(str("memory_budget: the budget must be positive, got ", bytes, " bytes"));
  const auto impl = std::make_shared<Impl>(model, bytes, std::move(found.blocks), std::move(found.names));
  impl->start();
  handle_ = new Handle{impl};
}

MemoryBudget::~MemoryBudget() {
  handle_->impl->stop();
  delete handle_;
}

BudgetReport MemoryBudget::report() const { return handle_->impl->report(); }
const StepCosts& MemoryBudget::costs() const { return handle_->impl->costs(); }

std::string BudgetReport::text() const {
  std::string text = "budget " + detail::bytes_text(budget) + ": ";
  if (!is_planned()) return text + "not planned yet";
  text += "predicted peak " + detail::bytes_text(predicted_peak) + ", actual " + detail::bytes_text(actual_peak) + "; ";
  text += std::to_string(blocks.size()) + " blocks: ";
  int counts[block_mode_count] = {};
  for (const Block& block : blocks) ++counts[static_cast<int>(block.mode)];
  bool is_first = true;
  for (int m = 0; m < block_mode_count; ++m) {
    if (counts[m] == 0) continue;
    text += (is_first ? "" : ", ") + std::to_string(counts[m]) + " " + name(static_cast<BlockMode>(m));
    is_first = false;
  }
  if (evictions > 0) text += ", " + std::to_string(evictions) + " evictions";
  return text;
}

}  // namespace minima::train
