#pragma once

#include <utility>

namespace torch {

/// Calls `function` with one argument after the other.
template <typename Function, typename... Ts>
void apply(Function function, Ts&&... arguments) {
  (function(std::forward<Ts>(arguments)), ...);
}

}  // namespace torch
