#pragma once

#include <minima/nn/module/module.h>

#include <string>

namespace minima::nn {

/// A table of a module and all inside in the order of their names: output shape, parameters (each tensor once), and the
/// floating-point operations of one forward with an input of this shape, as the operators claim them. Includes are
/// inclusive: a module's figures contain its children's. Runs one forward in evaluation mode on zeros; the module is
/// left as it was.
///
///     module        type    output     parameters  FLOPs
///     Net                   [1, 10]       407,050  813 k
///       a           Linear  [1, 512]      401,920  803 k
///     …
MINIMA_API std::string summary(Module& module, const Shape& input);
/// The same for a module of another signature: `run` calls it once.
///   summary(attention, [&] { attention(query, memory); });
MINIMA_API std::string summary(ModuleBase& module, const Function<void()>& run);

}  // namespace minima::nn
