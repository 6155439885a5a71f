#pragma once

#include "simulated/ptx/execution/op.h"
#include "simulated/ptx/text/module.h"
#include "simulated/ptx/text/type.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The files of instructions (integer.cpp, …) use these to turn a statement into an Op.

namespace simulated::ptx {

/// An instruction that the interpreter does not know; names its text.
class Unknown : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// ld.global.v4.u32: its name, its types, and the other words.
struct Opcode {
  explicit Opcode(const Statement& statement);
  bool has(std::string_view word) const;
  /// Whether every word but types is one of these.
  bool only(std::initializer_list<std::string_view> known) const;
  Type type() const { return types.empty() ? Type::b32 : types.front(); }

  std::string name;
  std::vector<std::string> words;
  std::vector<Type> types;
};

/// Gives the registers, immediates and variables of one kernel their places.
class Operands {
 public:
  explicit Operands(const Body& body) : body_(&body) {}

  /// The column of a source with elements of `bytes`: a register of that size, an immediate, or the address of a
  /// symbol.
  Place source(const Operand& operand, unsigned bytes);
  Place target(const Operand& operand, unsigned bytes);
  /// A source or target of any size, for instructions that extend and truncate.
  Place any(const Operand& operand, unsigned& bytes);
  Place predicate(const Operand& operand);
  Place predicate(const std::string& name);
  Place special(const std::string& name);
  Place constant(std::uint64_t bits, unsigned bytes);
  /// The slot of a call's parameter: st.param and ld.param of the same name and offset.
  Place slot(const std::string& name, std::int64_t offset, unsigned bytes);
  /// The base and the constant part of an address.
  Place address(const Operand& operand, Space space, std::int64_t& offset);

  void set_body(const Body& body, std::string prefix) {
    body_ = &body;
    prefix_ = std::move(prefix);
  }
  void set_symbol(const std::string& name, Space space, std::uint64_t address) { symbols_[name] = {space, address}; }
  bool is_symbol(const std::string& name, Space space) const;
  /// A function's parameter is another name for the slot of its call.
  void set_alias(const std::string& name, const std::string& slot) { aliases_[name] = slot; }
  const std::string& prefix() const { return prefix_; }
  const std::vector<std::uint8_t>& constants() const { return constants_; }
  std::size_t register_bytes() const { return register_bytes_; }
  const std::map<std::string, Place>& specials() const { return specials_; }
  static bool is_constant(Place place) { return (place & constant_bit) != 0; }

 private:
  Place allocate(std::size_t bytes);
  Place reg(const std::string& name, unsigned& bytes);

  const Body* body_;
  std::string prefix_;  ///< of a function that is called: its registers are its own
  std::map<std::string, Place> registers_, specials_;
  std::map<std::pair<std::uint64_t, unsigned>, Place> constant_places_;
  std::map<std::string, std::pair<Space, std::uint64_t>> symbols_;
  std::map<std::string, std::string> aliases_;
  std::vector<std::uint8_t> constants_;
  std::size_t register_bytes_ = 0;
};

/// Each fills in an op and returns true, or returns false if the instruction is not one of its own.
using Decode = bool (*)(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op);
bool decode_integer(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op);
bool decode_bits(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op);
bool decode_float(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op);
bool decode_compare(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op);
bool decode_convert(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op);
bool decode_move(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op);
bool decode_memory(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op);
bool decode_atomic(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op);
bool decode_warp(const Statement& statement, const Opcode& opcode, Operands& operands, Op& op);

}  // namespace simulated::ptx
