#include "simulated/ptx/text/declarations.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace simulated::ptx {

namespace {

std::string_view without_dot(std::string_view word) { return word.substr(word.starts_with('.') ? 1 : 0); }

void append(Variable& variable, std::uint64_t bits) {
  const std::size_t at = variable.data.size();
  variable.data.resize(at + size_of(variable.type));
  std::memcpy(variable.data.data() + at, &bits, std::min<std::size_t>(size_of(variable.type), 8));
}

/// A number, a symbol's address, mask(symbol), or a list of these.
void read_initialiser(Tokens& tokens, Variable& variable) {
  if (tokens.accept("{")) {
    while (!tokens.accept("}")) {
      read_initialiser(tokens, variable);
      tokens.accept(",");
    }
    return;
  }
  const std::string_view word = tokens.peek();
  const bool is_float =
      word.starts_with("0f") || word.starts_with("0F") || word.starts_with("0d") || word.starts_with("0D");
  if (is_float && (word.size() == 10 || word.size() == 18)) {
    std::uint64_t bits = 0;
    std::from_chars(word.data() + 2, word.data() + word.size(), bits, 16);
    tokens.next();
    append(variable, bits);
  } else if (std::isdigit(static_cast<unsigned char>(word.front())) != 0 || word == "-") {
    append(variable, static_cast<std::uint64_t>(read_integer(tokens)));
  } else {
    std::string_view symbol = tokens.next();
    const bool generic = symbol == "generic" && tokens.accept("(");
    if (generic) {
      symbol = tokens.next();
      tokens.expect(")");
    }
    variable.addresses.emplace_back(variable.data.size(), std::string(symbol));
    append(variable, 0);
    if (tokens.accept("+")) {
      std::int64_t offset = read_integer(tokens);
      std::memcpy(variable.data.data() + variable.data.size() - size_of(variable.type), &offset,
                  size_of(variable.type));
    }
  }
}

}  // namespace

bool is_space(std::string_view word) {
  return word == ".global" || word == ".const" || word == ".shared" || word == ".local" || word == ".param";
}

std::int64_t read_integer(Tokens& tokens) {
  const bool negative = tokens.accept("-");
  std::string_view word = tokens.next();
  const std::string_view whole = word;
  if (word.ends_with('U')) word.remove_suffix(1);
  int base = 10;
  if (word.starts_with("0x") || word.starts_with("0X")) {
    base = 16;
  } else if (word.starts_with("0b") || word.starts_with("0B")) {
    base = 2;
  }
  if (base != 10) {
    word.remove_prefix(2);
  } else if (word.size() > 1 && word.front() == '0') {
    base = 8;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc{} || end != word.data() + word.size()) tokens.fail("no whole number: " + std::string(whole));
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

Variable read_variable(Tokens& tokens, std::string_view space) {
  Variable result;
  result.space = without_dot(space);
  unsigned elements = 1;
  for (;;) {
    const std::string_view word = tokens.next();
    if (word == ".align") {
      result.alignment = static_cast<unsigned>(read_integer(tokens));
    } else if (word == ".ptr") {  // of a kernel's parameter: says what it points at
      if (is_space(tokens.peek())) tokens.next();
      if (tokens.accept(".align")) read_integer(tokens);
    } else if (word == ".v2" || word == ".v4") {
      elements = word == ".v2" ? 2 : 4;
    } else if (const std::optional<Type> type = type_named(without_dot(word)); word.starts_with('.') && type) {
      result.type = *type;
      result.alignment = std::max(result.alignment, size_of(*type) * elements);
    } else if (word.starts_with('.')) {
      continue;  // .attribute, .unified
    } else {
      result.name = word;
      break;
    }
  }
  std::size_t count = elements;
  while (tokens.accept("[")) {
    if (tokens.accept("]")) {
      count = 0;
      continue;
    }
    count *= static_cast<std::size_t>(read_integer(tokens));
    tokens.expect("]");
  }
  result.bytes = count * size_of(result.type);
  if (tokens.accept("=")) {
    read_initialiser(tokens, result);
    result.bytes = std::max(result.bytes, result.data.size());
  }
  return result;
}

}  // namespace simulated::ptx
