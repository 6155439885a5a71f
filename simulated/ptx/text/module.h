#pragma once

#include "simulated/ptx/text/type.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// PTX text as nvcc writes it, taken apart: modules hold functions, functions statements. Nothing here knows what an
// instruction does.

namespace simulated::ptx {

/// Text that is not PTX, or a part of PTX that this reader does not know; names the line.
class SyntaxError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Operand {
  enum class Kind : std::uint8_t { reg, immediate, symbol, address, vector, pair, sink };
  Kind kind = Kind::sink;
  std::string name;            ///< of a register or symbol; the base of an address
  std::int64_t value = 0;      ///< an immediate's bits, or an offset
  Type literal = Type::b64;    ///< of an immediate: f32 and f64 literals have types, integers are b64
  bool negated = false;        ///< !%p1
  std::vector<Operand> parts;  ///< of {a, b} and of a|b
};

struct Statement {
  std::string guard;  ///< a predicate register, or empty
  bool guard_negated = false;
  std::vector<std::string> opcode;  ///< ld, global, v4, u32
  std::vector<Operand> operands;
  std::string text;  ///< as written, for messages
};

struct Variable {
  std::string space;  ///< param, global, const, shared, local
  Type type = Type::b8;
  unsigned alignment = 1;
  std::string name;
  std::size_t bytes = 0;
  bool external = false;  ///< dynamic shared memory
  std::vector<std::uint8_t> data;
  std::vector<std::pair<std::size_t, std::string>> addresses;  ///< words of the data that are addresses of symbols
};

/// The text between a function's braces. Registers and variables of inner blocks are renamed where that is needed to
/// make names unique.
struct Body {
  std::map<std::string, Type> registers;
  /// .reg .b32 %r<100> declares %r0 to %r99.
  std::map<std::string, std::pair<Type, unsigned>> families;
  std::vector<Variable> variables;
  std::vector<Statement> statements;
  std::map<std::string, std::size_t> labels;  ///< the index of the statement that follows
  std::map<std::string, std::vector<std::string>> branch_targets;

  std::optional<Type> find_register(const std::string& name) const;
};

struct Function {
  std::string name;
  bool entry = false;
  std::vector<Variable> parameters, results;
  std::string_view body;  ///< text between the braces; empty for a declaration
};

/// Keeps the text; bodies are parsed when they are asked for, since a program runs few of its kernels.
class Module {
 public:
  explicit Module(std::string text);
  Module(const Module&) = delete;

  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<Variable>& variables() const { return variables_; }
  /// Null if there is none with a body.
  const Function* find(std::string_view name) const;
  /// The address of a variable of the module in global or constant memory; 0 if there is none.
  std::uint64_t address_of(const std::string& name) const;
  /// The variable that contains an address, as [begin, end); empty if none does.
  std::pair<std::uint64_t, std::uint64_t> variable_at(std::uint64_t address) const;

 private:
  void place_variables();

  struct Storage {
    std::vector<std::uint8_t> bytes;
    std::uint64_t begin = 0, end = 0;
  };
  std::map<std::string, Storage> storage_;
  std::string text_;
  std::vector<Function> functions_;
  std::vector<Variable> variables_;
};

Body parse_body(const Function& function);

}  // namespace simulated::ptx
