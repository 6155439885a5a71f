#pragma once

#include <c10/util/ArrayRef.h>

#include <optional>
#include <string>
#include <vector>

namespace c10 {

/// The name of a dimension. minima's tensors have none: functions that would set one throw.
class Symbol {
 public:
  static Symbol dimname(const std::string& name) { return Symbol(name); }
  static Symbol fromQualString(const std::string& name) { return Symbol(name.substr(name.rfind(':') + 1)); }
  const char* toUnqualString() const { return name_.c_str(); }
  friend bool operator==(const Symbol&, const Symbol&) = default;

 private:
  explicit Symbol(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

}  // namespace c10

namespace at {

using namespace c10;

enum class NameType : std::uint8_t { BASIC, WILDCARD };

class Dimname {
 public:
  static Dimname fromSymbol(Symbol name) { return Dimname(std::move(name)); }
  static Dimname wildcard() { return Dimname(Symbol::dimname("*")); }
  Symbol symbol() const { return name_; }
  NameType type() const { return *this == wildcard() ? NameType::WILDCARD : NameType::BASIC; }
  bool isWildcard() const { return type() == NameType::WILDCARD; }
  friend bool operator==(const Dimname&, const Dimname&) = default;

 private:
  explicit Dimname(Symbol name) : name_(std::move(name)) {}
  Symbol name_;
};
using DimnameList = ArrayRef<Dimname>;

std::ostream& operator<<(std::ostream& out, const Dimname& name);

}  // namespace at
