#include "simulated/ptx/execution/program.h"

#include "simulated/ptx/execution/thread_block.h"
#include "simulated/ptx/instructions/decoder.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

namespace simulated::ptx {

namespace {

constexpr Decode decoders[] = {decode_move,    decode_memory, decode_integer, decode_float, decode_compare,
                               decode_convert, decode_bits,   decode_warp,    decode_atomic};

void run_unknown(Warp& warp, const Op& op) { warp.block->fail(Fault::Kind::unknown, op, -1, "an unknown instruction"); }
void run_trap(Warp& warp, const Op& op) { warp.block->fail(Fault::Kind::trap, op, -1, "the kernel stops itself"); }

std::size_t align(std::size_t at, std::size_t alignment) { return (at + alignment - 1) / alignment * alignment; }

}  // namespace

/// Turns bodies into ops.
class Assembler {
 public:
  Assembler(Program& program, const Module& module, const Function& entry, const Body& body)
      : program_(program), module_(module), operands_(body) {
    for (const Variable& variable : module.variables()) place_variable(variable, "");
    for (const Variable& parameter : entry.parameters) {
      program.parameter_bytes_ = align(program.parameter_bytes_, parameter.alignment);
      program.parameters_.push_back({program.parameter_bytes_, parameter.bytes});
      operands_.set_symbol(parameter.name, Space::param, program.parameter_bytes_);
      program.parameter_bytes_ += parameter.bytes;
    }
    assemble(body, "", 0);
    // Dynamic shared memory begins after the static variables.
    program.shared_bytes_ = align(program.shared_bytes_, 16);
    program.constants_ = operands_.constants();
    program.register_bytes_ = operands_.register_bytes();
    program.specials_.assign(operands_.specials().begin(), operands_.specials().end());
    note_accesses();
    measure_stretches();
  }

 private:
  void place_variable(const Variable& variable, const std::string& prefix) {
    if (variable.space == "shared" && variable.external) {
      dynamic_.push_back(prefix + variable.name);
    } else if (variable.space == "shared") {
      program_.shared_bytes_ = align(program_.shared_bytes_, variable.alignment);
      operands_.set_symbol(prefix + variable.name, Space::shared, program_.shared_bytes_);
      program_.shared_bytes_ += variable.bytes;
    } else if (variable.space == "local") {
      program_.local_bytes_ = align(program_.local_bytes_, std::max(16u, variable.alignment));
      operands_.set_symbol(prefix + variable.name, Space::local, program_.local_bytes_);
      program_.local_bytes_ += variable.bytes;
    } else if (variable.space == "global" || variable.space == "const") {
      operands_.set_symbol(variable.name, Space::global, module_.address_of(variable.name));
    }
  }

  void assemble(const Body& body, const std::string& prefix, int depth) {
    if (depth > 8) throw Unknown("functions call each other too deeply");
    for (const Variable& variable : body.variables) place_variable(variable, prefix);
    for (const std::string& name : dynamic_)
      operands_.set_symbol(name, Space::shared, align(program_.shared_bytes_, 16));
    std::vector<std::set<std::string>> labels(body.statements.size() + 1);
    for (const auto& [name, at] : body.labels) labels[at].insert(name);
    std::map<std::string, std::uint32_t> places;
    std::vector<std::pair<std::size_t, std::string>> branches, returns;
    add_label();
    for (std::size_t i = 0; i <= body.statements.size(); ++i) {
      if (!labels[i].empty()) {
        const std::uint32_t at = add_label();
        for (const std::string& name : labels[i]) places[name] = at;
      }
      if (i == body.statements.size()) break;
      add_statement(body, body.statements[i], prefix, depth, branches, returns);
    }
    // Control that reaches the end returns.
    const std::uint32_t end = add_label();
    if (depth == 0) add_plain({.kind = Op::Kind::exit}, "ret;");
    for (const auto& [at, label] : branches) {
      if (!places.contains(label)) throw Unknown("a branch to an unknown label " + label);
      program_.ops_[at].target = places[label];
    }
    for (const auto& [at, unused] : returns) program_.ops_[at].target = end;
  }

  using Jumps = std::vector<std::pair<std::size_t, std::string>>;
  void add_statement(const Body& body, const Statement& statement, const std::string& prefix, int depth,
                     Jumps& branches, Jumps& returns) {
    Op op;
    const std::string& name = statement.opcode.front();
    try {
      if (!statement.guard.empty()) {
        op.guard = operands_.predicate(statement.guard);
        op.guard_negated = statement.guard_negated;
      }
      if (name == "bra") {
        op.kind = Op::Kind::branch;
        branches.emplace_back(program_.ops_.size(), statement.operands.at(0).name);
      } else if (name == "ret" && depth > 0) {
        op.kind = Op::Kind::branch;
        returns.emplace_back(program_.ops_.size(), "");
      } else if (name == "ret" || name == "exit") {
        op.kind = Op::Kind::exit;
      } else if (name == "trap") {
        op.run = run_trap;
      } else if (name == "call") {
        return add_call(body, statement, prefix, depth);
      } else {
        const Opcode opcode(statement);
        const bool known = std::any_of(std::begin(decoders), std::end(decoders),
                                       [&](Decode decode) { return decode(statement, opcode, operands_, op); });
        if (!known) throw Unknown(statement.text);
      }
    } catch (const Unknown&) {
      op.kind = Op::Kind::plain;
      op.run = run_unknown;
      program_.unknown_.push_back(statement.text);
    }
    add_plain(op, statement.text);
    if (op.kind == Op::Kind::branch || op.kind == Op::Kind::exit) add_label();
  }

  /// The function's instructions follow in place of the call; its parameters are the slots of the call's.
  void add_call(const Body& body, const Statement& statement, const std::string& prefix, int depth) {
    const std::string& name = statement.operands.at(1).name;
    const Function* const function = module_.find(name);
    if (!function || !statement.guard.empty()) throw Unknown(statement.text);
    const std::string inner = prefix + name + "#" + std::to_string(calls_++) + ".";
    const auto alias = [&](const std::vector<Variable>& formal, const std::vector<Operand>& actual) {
      if (formal.size() != actual.size()) throw Unknown(statement.text);
      for (std::size_t i = 0; i < formal.size(); ++i)
        operands_.set_alias(inner + formal[i].name, prefix + actual[i].name);
    };
    alias(function->parameters, statement.operands.at(2).parts);
    alias(function->results, statement.operands.at(0).parts);
    const Body callee = parse_body(*function);
    operands_.set_body(callee, inner);
    assemble(callee, inner, depth + 1);
    operands_.set_body(body, prefix);
  }

  std::uint32_t add_label() {
    if (!program_.ops_.empty() && program_.ops_.back().kind == Op::Kind::label)
      return static_cast<std::uint32_t>(program_.ops_.size() - 1);
    Op op{.kind = Op::Kind::label};
    op.target = labels_++;
    program_.ops_.push_back(op);
    return static_cast<std::uint32_t>(program_.ops_.size() - 1);
  }
  void add_plain(Op op, const std::string& text) {
    op.statement = static_cast<std::uint32_t>(program_.texts_.size());
    program_.texts_.push_back(text);
    program_.ops_.push_back(op);
  }

  static bool is_access(const Op& op) {
    return op.kind == Op::Kind::plain && op.bytes != 0 && (op.mode == 4 || op.mode == 8) && op.run != nullptr;
  }
  void note_accesses() {
    for (const Op& op : program_.ops_) {
      const std::string& text = op.kind == Op::Kind::label ? std::string() : program_.texts_[op.statement];
      const std::size_t at = text.starts_with("@") ? text.find(' ') + 1 : 0;
      const std::string_view word = std::string_view(text).substr(at);
      if (!word.starts_with("ld.") && !word.starts_with("st.") && !word.starts_with("atom") && !word.starts_with("red"))
        continue;
      if (!is_access(op)) continue;
      const unsigned bytes = op.bytes;
      if (op.space == Space::shared || op.space == Space::generic)
        program_.shared_granule_ = std::min(program_.shared_granule_, bytes);
      if (op.space == Space::global || op.space == Space::generic)
        program_.global_granule_ = std::min(program_.global_granule_, bytes);
    }
  }

  /// Loads wait for nothing; a register that one writes is waited for by the next instruction that uses it, and with it
  /// all loads before. Stores and barriers keep later loads from being moved up, so that what the PTX shows is what
  /// ptxas can do within a stretch.
  void measure_stretches() {
    program_.stretches_.resize(labels_);
    Program::Stretch* stretch = nullptr;
    std::set<Place> pending;
    for (const Op& op : program_.ops_) {
      if (op.kind == Op::Kind::label) {
        if (stretch && !pending.empty()) ++stretch->waits;
        pending.clear();
        stretch = &program_.stretches_[op.target];
        continue;
      }
      ++stretch->instructions;
      const std::string& text = program_.texts_[op.statement];
      const bool load = text.find("ld.global") != std::string::npos;
      const auto uses = [&](Place place) { return pending.contains(place); };
      const bool waits = std::any_of(op.x.begin() + (load ? 1 : 0), op.x.end(), uses) || uses(op.guard) ||
                         (!load && std::any_of(std::begin(op.more), std::end(op.more), uses));
      if (waits && !pending.empty()) {
        ++stretch->waits;
        pending.clear();
      }
      if (!load) continue;
      ++stretch->loads;
      pending.insert(op.x[0]);
      for (unsigned i = 1; i < op.elements; ++i) pending.insert(op.more[i - 1]);
    }
  }

  Program& program_;
  const Module& module_;
  Operands operands_;
  std::vector<std::string> dynamic_;
  std::uint32_t labels_ = 0;
  unsigned calls_ = 0;
};

namespace {

const Function& entry_of(const Module& module, const std::string& name) {
  const Function* const function = module.find(name);
  if (!function || !function->entry) throw std::invalid_argument("the PTX has no kernel " + name);
  return *function;
}

}  // namespace

Program::Program(const Module& module, const std::string& name)
    : Program(module, name, parse_body(entry_of(module, name))) {}

Program::Program(const Module& module, const std::string& name, const Body& body) : module_(&module), name_(name) {
  Assembler(*this, module, entry_of(module, name), body);
}

}  // namespace simulated::ptx
