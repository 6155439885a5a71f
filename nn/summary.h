#pragma once

#include <minima/nn/module/module.h>

#include <string>

namespace minima::nn {

/// A table of a module and its descendants: output shape, number of parameters (each tensor counted once), and FLOPs of
/// one forward for this input shape, as the operators report them. A module's figures include its children's. Runs one
/// forward on zeros of the parameters' dtype in evaluation mode, then restores the module's mode. Where the module does
/// not run on these, as a language model, which needs tokens, its error says so: the overload below takes any call.
///
///     module        type    output     parameters  FLOPs
///     Net                   [1, 10]       407,050  813 k
///       a           Linear  [1, 512]      401,920  803 k
///     …
MINIMA_API std::string summary(Module& module, const Shape& input);
/// The same for a module with another signature: `run` calls it once.
///   summary(attention, [&] { attention(query, memory); });
MINIMA_API std::string summary(ModuleBase& module, const Function<void()>& run);

}  // namespace minima::nn
