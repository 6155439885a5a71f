#pragma once

#include <cstdint>

namespace c10 {

/// Names of the dispatcher's keys that programs mention. There is no dispatcher here: a tensor's device and the
/// thread's recording mode decide what runs.
enum class DispatchKey : std::uint8_t {
  Undefined,
  CPU,
  CUDA,
  Meta,
  BackendSelect,
  ADInplaceOrView,
  Autograd,
  AutogradOther,
  AutogradCPU,
  AutogradCUDA,
  Autocast,
  AutocastCPU,
  AutocastCUDA,
  AutocastFunctionality,
  CompositeImplicitAutograd,
  CompositeExplicitAutograd,
  CatchAll,
  EndOfKeys,
};

}  // namespace c10
