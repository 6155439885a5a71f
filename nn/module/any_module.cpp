#include <minima/nn/module/any_module.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

namespace minima::nn {

void AnyModule::refuse_type() const {
  throw ValueError(str("as: the module is a ", box_->module().type_name(), ", not of the requested type"));
}

void AnyModule::Box::refuse_call() {
  throw ValueError(
      str(module().type_name(),
          ": does not map one tensor to one tensor, so it cannot be called through Sequential or AnyModule"));
}

}  // namespace minima::nn
