#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/variable.h>

// TorchScript does not exist here. Its names are declared, so that headers which mention them compile; whatever would
// load, run or save a scripted module is an error of the compiler that says what to do.

#define MINIMA_TORCH_NO_TORCHSCRIPT                                                                       \
  "TorchScript is not supported. Write the network as a torch::nn::Module with the same names, save its " \
  "weights in Python with torch.save(dict(model.state_dict()), path), and copy them from the dictionary " \
  "that torch::pickle_load(bytes).toGenericDict() returns into named_parameters() and named_buffers()."

namespace torch::jit {

using c10::IValue;

#define MINIMA_TORCH_REFUSED(name)                                      \
  template <class... Args>                                              \
  c10::IValue name(Args&&...) const {                                   \
    static_assert(sizeof...(Args) > 1000, MINIMA_TORCH_NO_TORCHSCRIPT); \
    return {};                                                          \
  }

/// A scripted module, of which there are none.
struct Module {
  MINIMA_TORCH_REFUSED(forward)
  MINIMA_TORCH_REFUSED(operator())
  MINIMA_TORCH_REFUSED(run_method)
  MINIMA_TORCH_REFUSED(get_method)
  MINIMA_TORCH_REFUSED(attr)
  MINIMA_TORCH_REFUSED(to)
  MINIMA_TORCH_REFUSED(eval)
  MINIMA_TORCH_REFUSED(train)
  MINIMA_TORCH_REFUSED(save)
  MINIMA_TORCH_REFUSED(parameters)
  MINIMA_TORCH_REFUSED(named_parameters)
  MINIMA_TORCH_REFUSED(children)
};
#undef MINIMA_TORCH_REFUSED

template <class... Args>
Module load(Args&&...) {
  static_assert(sizeof...(Args) > 1000, MINIMA_TORCH_NO_TORCHSCRIPT);
  return {};
}

namespace script {
using torch::jit::Module;
}

}  // namespace torch::jit

namespace torch {
namespace script = jit::script;
}
