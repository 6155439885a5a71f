#pragma once

#include "simulated/ptx/text/module.h"
#include "simulated/ptx/text/tokens.h"

#include <string>
#include <string_view>

namespace simulated::ptx {

/// Whether the word starts a declaration of a variable: .global, .shared, .param, …
bool is_space(std::string_view word);
/// A whole number: 12, 0x1F, 0b1, 017, with a sign and a U.
std::int64_t read_integer(Tokens& tokens);
/// After the word that is_space: .align 8 .b8 name[16] = {…}, up to what follows it.
Variable read_variable(Tokens& tokens, std::string_view space);

}  // namespace simulated::ptx
