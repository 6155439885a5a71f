#pragma once

#include <minima/profiler/spans/span.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

/// For each span the one that work launched in it belongs to: the outermost operator, else the innermost gradient or
/// range; -1 if there is none.
std::vector<std::int32_t> owners_of(const std::vector<Span>& spans);
/// For each span whether it computes in half types, as far as gradients tell: theirs and the operators in them, and the
/// operators that they are the gradients of.
std::vector<bool> halves_of(const std::vector<Span>& spans);
/// How reports call the owner: `linear`, `gradient of linear`, `range update`.
std::string owner_name(const NamedSpans& recording, const Span& owner);

}  // namespace minima::profiler
