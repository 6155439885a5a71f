#pragma once

#include <ATen/core/Reduction.h>
#include <c10/util/Exception.h>

#include <string>
#include <variant>

/// Declares the tag `torch::kNAME`, whose type `torch::enumtype::kNAME` is an alternative of options' variants.
#define TORCH_ENUM_DECLARE(enumerator)                    \
  namespace torch {                                       \
  namespace enumtype {                                    \
  struct k##enumerator {                                  \
    static constexpr const char* name = "k" #enumerator;  \
  };                                                      \
  }                                                       \
  inline constexpr enumtype::k##enumerator k##enumerator; \
  }

TORCH_ENUM_DECLARE(Linear)
TORCH_ENUM_DECLARE(Conv1D)
TORCH_ENUM_DECLARE(Conv2D)
TORCH_ENUM_DECLARE(Conv3D)
TORCH_ENUM_DECLARE(ConvTranspose1D)
TORCH_ENUM_DECLARE(ConvTranspose2D)
TORCH_ENUM_DECLARE(ConvTranspose3D)
TORCH_ENUM_DECLARE(Sigmoid)
TORCH_ENUM_DECLARE(Tanh)
TORCH_ENUM_DECLARE(ReLU)
TORCH_ENUM_DECLARE(GELU)
TORCH_ENUM_DECLARE(SiLU)
TORCH_ENUM_DECLARE(Mish)
TORCH_ENUM_DECLARE(LeakyReLU)
TORCH_ENUM_DECLARE(FanIn)
TORCH_ENUM_DECLARE(FanOut)
TORCH_ENUM_DECLARE(Constant)
TORCH_ENUM_DECLARE(Reflect)
TORCH_ENUM_DECLARE(Replicate)
TORCH_ENUM_DECLARE(Circular)
TORCH_ENUM_DECLARE(Nearest)
TORCH_ENUM_DECLARE(Bilinear)
TORCH_ENUM_DECLARE(Bicubic)
TORCH_ENUM_DECLARE(Trilinear)
TORCH_ENUM_DECLARE(Area)
TORCH_ENUM_DECLARE(NearestExact)
TORCH_ENUM_DECLARE(Sum)
TORCH_ENUM_DECLARE(Mean)
TORCH_ENUM_DECLARE(Max)
TORCH_ENUM_DECLARE(None)
TORCH_ENUM_DECLARE(BatchMean)
TORCH_ENUM_DECLARE(Zeros)
TORCH_ENUM_DECLARE(Border)
TORCH_ENUM_DECLARE(Reflection)
TORCH_ENUM_DECLARE(RNN_TANH)
TORCH_ENUM_DECLARE(RNN_RELU)
TORCH_ENUM_DECLARE(LSTM)
TORCH_ENUM_DECLARE(GRU)
TORCH_ENUM_DECLARE(Valid)
TORCH_ENUM_DECLARE(Same)

/// Constructors that let one of the variant's tags stand for the whole options, as in `F::l1_loss(x, y, torch::kSum)`.
#define TORCH_OPTIONS_CTOR_VARIANT_ARG3(Options, arg, A, B, C) \
  Options() = default;                                         \
  Options(torch::enumtype::A value) : arg##_(value) {}         \
  Options(torch::enumtype::B value) : arg##_(value) {}         \
  Options(torch::enumtype::C value) : arg##_(value) {}
#define TORCH_OPTIONS_CTOR_VARIANT_ARG4(Options, arg, A, B, C, D) \
  TORCH_OPTIONS_CTOR_VARIANT_ARG3(Options, arg, A, B, C)          \
  Options(torch::enumtype::D value) : arg##_(value) {}

namespace torch::enumtype {

/// The name of the alternative that `value` holds: "kMean".
template <typename Variant>
std::string get_enum_name(const Variant& value) {
  return std::visit([](const auto& tag) { return std::string(tag.name); }, value);
}

/// `at::Reduction` for a variant that holds kNone, kMean or kSum; throws for other alternatives.
template <typename Variant>
at::Reduction::Reduction reduction_get_enum(const Variant& value) {
  if (std::holds_alternative<kNone>(value)) return at::Reduction::None;
  if (std::holds_alternative<kMean>(value)) return at::Reduction::Mean;
  if (std::holds_alternative<kSum>(value)) return at::Reduction::Sum;
  TORCH_CHECK(false, get_enum_name(value), " is not a valid value for reduction");
  return at::Reduction::END;
}

}  // namespace torch::enumtype
