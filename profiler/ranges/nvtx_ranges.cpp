#include <minima/profiler/ranges/nvtx_ranges.h>

#include <minima/autograd/node.h>
#include <minima/profiler/ranges/nvtx.h>
#include <minima/tensor/base/format.h>

namespace minima::profiler {

NvtxRanges::NvtxRanges() : listening_(nvtx::is_listening()) {
  if (!listening_) return;
  observer_ = set_observer(this);
  formulas_ = set_formula_observer(this);
}

NvtxRanges::~NvtxRanges() {
  if (!listening_) return;
  for (const Function<void()>& remove : unhook_) remove();
  set_formula_observer(formulas_);
  set_observer(observer_);
  while (open_ > 0) pop();  // what an exception left open
}

void NvtxRanges::begin(const char* op, Cost cost) {
  if (observer_) observer_->begin(op, cost);
  is_formula_.push_back(false);
  push(op);
}

void NvtxRanges::begin(const Node& node) {
  if (formulas_) formulas_->begin(node);
  is_formula_.push_back(true);
  push(node.edge_count() == 0 ? "gradient of leaf" : str("gradient of ", node.name()).c_str());
}

void NvtxRanges::end() noexcept {
  if (is_formula_.empty()) return;
  const bool is_formula = is_formula_.back();
  is_formula_.pop_back();
  pop();
  if (is_formula && formulas_) formulas_->end();
  if (!is_formula && observer_) observer_->end();
}

void NvtxRanges::push(const char* name) {
  nvtx::push(name);
  ++open_;
}

void NvtxRanges::pop() noexcept {
  if (open_ == 0) return;
  nvtx::pop();
  --open_;
}

}  // namespace minima::profiler
