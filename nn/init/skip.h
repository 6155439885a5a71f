#pragma once

#include <minima/tensor/base/api.h>

namespace minima::nn::init {

/// While it lives, `uniform_`, `normal_` and what calls them on this thread draw nothing and leave memory as it is, so
/// a module whose weights are loaded next costs no time and, until then, hardly any memory (see Defer for a module that
/// is larger than the memory):
///   std::optional<nn::init::Skip> skip(std::in_place);
///   models::Llama net({…});
///   skip.reset();
///   net.load_pretrained(read_safetensors(path));
class MINIMA_API Skip {
 public:
  Skip();
  ~Skip();
  Skip(const Skip&) = delete;
  Skip& operator=(const Skip&) = delete;

  static bool is_on();

 private:
  bool outer_;
};

}  // namespace minima::nn::init
