#pragma once

#include <minima/tensor/base/api.h>

namespace minima::nn {
class ModuleBase;
}

namespace minima::nn::init {

/// While it lives, parameters that are initialised on this thread give up their memory. They keep shape, dtype and
/// device, read as NaN, and are drawn later, with the numbers that they would have now: by distributed::shard(), of
/// which each rank draws its own parts only, or by `materialise`. Until then a call of the model throws ValueError. So
/// a model may be larger than the memory.
///
///     std::optional<nn::init::Defer> defer(std::in_place);
///     models::Llama net({…});
///     defer.reset();
///     net.to(device);
///     distributed::Sharding sharding = distributed::shard(net, distributed::children_of(net.model.layers), group);
///     net.load_pretrained(read_safetensors(path));       // or not: the weights are drawn already
///
/// Deferred are `uniform_`, `normal_`, `constant_`, `trunc_normal_` and what calls them, as all layers and models do.
/// The generator moves on as if they drew. Parameters of one element, parameters that share memory with other tensors,
/// and those of `orthogonal_`, `sparse_`, `eye_`, `dirac_` or of a constructor's own computations are initialised at
/// once. `to`, `clone`, freezing and tying keep parameters deferred, and load_state_dict gives memory to those that it
/// loads. Changing a part of one in place is an error, by the time that it is drawn at the latest.
class MINIMA_API Defer {
 public:
  Defer();
  ~Defer();
  Defer(const Defer&) = delete;
  Defer& operator=(const Defer&) = delete;

 private:
  bool outer_;
};

/// Gives the deferred parameters of a module memory and their values.
MINIMA_API void materialise(const ModuleBase& net);

}  // namespace minima::nn::init
