#include <torch/optim.h>

namespace torch::optim {

namespace {

[[noreturn]] void not_overridden(const char* what, const char* base) {
  TORCH_CHECK(false, what, " of ", base, " is not overridden; derive your class C from ", base, "'s Cloneable<C>");
  std::abort();
}

}  // namespace

std::unique_ptr<OptimizerParamState> OptimizerParamState::clone() const {
  not_overridden("clone()", "torch::optim::OptimizerParamState");
}
void OptimizerParamState::serialize(serialize::InputArchive&) {
  not_overridden("serialize(InputArchive&)", "torch::optim::OptimizerParamState");
}
void OptimizerParamState::serialize(serialize::OutputArchive&) const {
  not_overridden("serialize(OutputArchive&)", "torch::optim::OptimizerParamState");
}

std::unique_ptr<OptimizerOptions> OptimizerOptions::clone() const {
  not_overridden("clone()", "torch::optim::OptimizerOptions");
}
void OptimizerOptions::serialize(serialize::InputArchive&) {
  not_overridden("serialize(InputArchive&)", "torch::optim::OptimizerOptions");
}
void OptimizerOptions::serialize(serialize::OutputArchive&) const {
  not_overridden("serialize(OutputArchive&)", "torch::optim::OptimizerOptions");
}
double OptimizerOptions::get_lr() const { not_overridden("get_lr()", "torch::optim::OptimizerOptions"); }
void OptimizerOptions::set_lr(double) { not_overridden("set_lr()", "torch::optim::OptimizerOptions"); }

OptimizerOptions& OptimizerParamGroup::options() {
  TORCH_CHECK(has_options(), "the parameter group has no options");
  return *options_;
}
const OptimizerOptions& OptimizerParamGroup::options() const {
  TORCH_CHECK(has_options(), "the parameter group has no options");
  return *options_;
}

Optimizer::Optimizer(const std::vector<OptimizerParamGroup>& param_groups, std::unique_ptr<OptimizerOptions> defaults)
    : defaults_(std::move(defaults)) {
  for (const OptimizerParamGroup& group : param_groups) add_param_group(group);
}

Optimizer::~Optimizer() = default;

void Optimizer::add_param_group(const OptimizerParamGroup& param_group) {
  TORCH_CHECK(defaults_ != nullptr, "the optimizer has no default options");
  for (const Tensor& parameter : param_group.params()) {
    TORCH_CHECK(parameter.is_leaf(), "can't optimize a non-leaf Tensor");
    TORCH_CHECK(state_.count(parameter.unsafeGetTensorImpl()) == 0,
                "some parameters appear in more than one parameter group");
  }
  OptimizerParamGroup group = param_group;
  if (!group.has_options()) group.set_options(defaults_->clone());
  param_groups_.push_back(std::move(group));
}

void Optimizer::zero_grad(bool set_to_none) {
  NoGradGuard no_grad;
  for (OptimizerParamGroup& group : param_groups_)
    for (Tensor& parameter : group.params()) {
      if (!parameter.grad().defined()) continue;
      if (set_to_none) parameter.native().set_grad({});
      else parameter.mutable_grad().detach_().zero_();
    }
}

void Optimizer::add_parameters(const std::vector<Tensor>& parameters) {
  TORCH_WARN("Optimizer::add_parameters() will be removed in PyTorch 1.6");
  std::vector<Tensor>& all = param_groups_.at(0).params();
  all.insert(all.end(), parameters.begin(), parameters.end());
}

const std::vector<Tensor>& Optimizer::parameters() const noexcept {
  TORCH_WARN("Optimizer::parameters() will be removed in PyTorch 1.6");
  return param_groups_.at(0).params();
}
std::vector<Tensor>& Optimizer::parameters() noexcept {
  TORCH_WARN("Optimizer::parameters() will be removed in PyTorch 1.6");
  return param_groups_.at(0).params();
}

size_t Optimizer::size() const noexcept {
  TORCH_WARN("Optimizer::size() will be removed in PyTorch 1.6");
  size_t count = 0;
  for (const OptimizerParamGroup& group : param_groups_) count += group.params().size();
  return count;
}

void Optimizer::save(serialize::OutputArchive&) const {}
void Optimizer::load(serialize::InputArchive&) {}

serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Optimizer& optimizer) {
  optimizer.save(archive);
  return archive;
}
serialize::InputArchive& operator>>(serialize::InputArchive& archive, Optimizer& optimizer) {
  optimizer.load(archive);
  return archive;
}

}  // namespace torch::optim
