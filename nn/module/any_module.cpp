#include <minima/nn/module/any_module.h>

#include <minima/tensor/base/format.h>

namespace minima::nn {

void AnyModule::refuse_type() const {
  throw ValueError(str("as: the module is a ", box_->module().type_name(), ", not what was asked for"));
}

void AnyModule::Box::refuse_call() {
  throw ValueError(str(module().type_name(), ": cannot be called with one tensor for one tensor, as Sequential does"));
}

}  // namespace minima::nn
