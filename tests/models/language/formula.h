#pragma once

#include <minima/io/state.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace minima::test {

/// The weights of tests/fixtures/generate_language.py: float32 numbers that follow from name and shape.
inline Tensor formula(const std::string& name, const Shape& shape) {
  std::int64_t seed = 0;
  for (std::size_t i = 0; i < name.size(); ++i)
    seed += static_cast<std::int64_t>(i + 1) * static_cast<unsigned char>(name[i]);
  seed %= 65521;
  const bool is_norm =
      (name.find("norm") != name.npos || name.find("Norm") != name.npos || name.find(".ln_") != name.npos) &&
      name.ends_with("weight");
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < numel(shape); ++i) {
    const double number = static_cast<double>((i * i * 7 + i * (31 + seed % 64) + seed * 97) % 257 - 128) / 128 * 0.25;
    numbers.push_back(static_cast<float>(is_norm ? number * 0.5 + 1 : number));
  }
  return from_vector(numbers, shape);
}

/// A state of the same names and shapes with those weights.
inline State by_formula(const State& state) {
  State made;
  for (const auto& [name, tensor] : state.tensors()) made.add(name, formula(name, tensor.shape()));
  return made;
}

/// Leaves what scripts/check_transformers.py reads, if it asks for it: a model's folder, the tokens and what it makes
/// of them.
template <class Model>
void keep_for_transformers(const std::string& name, const Model& net, const Tensor& tokens, const Tensor& y) {
  const char* const folder = std::getenv("MINIMA_KEEP_MODELS");
  if (!folder) return;
  net.save_pretrained(folder + ("/" + name));
  State kept;
  kept.add("tokens", tokens);
  kept.add("y", y.detach());
  write_safetensors(folder + ("/" + name + "/logits.safetensors"), kept);
}

}  // namespace minima::test
