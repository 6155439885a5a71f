#include "simulated/ptx/text/declarations.h"
#include "simulated/ptx/text/module.h"
#include "simulated/ptx/text/tokens.h"

#include <algorithm>
#include <cctype>
#include <charconv>

// Bodies of functions.

namespace simulated::ptx {

namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : tokens_(text) {}

  Body read() {
    scopes_.emplace_back();
    while (!tokens_.at_end()) read_one();
    return std::move(body_);
  }

 private:
  void read_one() {
    if (tokens_.accept("{")) {
      scopes_.emplace_back();
    } else if (tokens_.accept("}")) {
      if (scopes_.size() == 1) tokens_.fail("a brace too many");
      scopes_.pop_back();
    } else if (tokens_.accept(".reg")) {
      read_registers();
    } else if (tokens_.accept(".loc") || tokens_.accept(".pragma") || tokens_.accept(".file")) {
      tokens_.skip_line();
    } else if (is_space(tokens_.peek())) {
      const std::string_view space = tokens_.next();
      body_.variables.push_back(read_variable(tokens_, space));
      tokens_.expect(";");
    } else {
      read_statement();
    }
  }

  void read_registers() {
    const std::string_view word = tokens_.next();
    const std::optional<Type> type = type_named(word.substr(1));
    if (!type) tokens_.fail("registers of an unknown type");
    do {
      const std::string name(tokens_.next());
      if (tokens_.accept("<")) {
        body_.families[name] = {*type, static_cast<unsigned>(read_integer(tokens_))};
        tokens_.expect(">");
        continue;
      }
      // An inner block may declare a name that is taken.
      std::string unique = name;
      while (body_.find_register(unique)) unique += '\'';
      body_.registers[unique] = *type;
      scopes_.back()[name] = unique;
    } while (tokens_.accept(","));
    tokens_.expect(";");
  }

  void read_statement() {
    const std::size_t begin = tokens_.position();
    Statement statement;
    if (tokens_.accept("@")) {
      statement.guard_negated = tokens_.accept("!");
      statement.guard = unique(tokens_.next());
    }
    const std::string_view word = tokens_.next();
    if (statement.guard.empty() && tokens_.accept(":")) return read_label(std::string(word));
    for (std::size_t at = 0; at <= word.size();) {
      const std::size_t end = std::min(word.find('.', at), word.size());
      statement.opcode.emplace_back(word.substr(at, end - at));
      at = end + 1;
    }
    if (statement.opcode.front() == "call") {
      read_call(statement);
    } else {
      while (tokens_.peek() != ";") {
        statement.operands.push_back(read_operand());
        if (!tokens_.accept(",")) break;
      }
    }
    tokens_.expect(";");
    statement.text = tokens_.since(begin);
    std::replace(statement.text.begin(), statement.text.end(), '\n', ' ');
    std::replace(statement.text.begin(), statement.text.end(), '\t', ' ');
    body_.statements.push_back(std::move(statement));
  }

  void read_label(const std::string& name) {
    if (tokens_.accept(".branchtargets")) {
      std::vector<std::string>& targets = body_.branch_targets[name];
      do targets.emplace_back(tokens_.next());
      while (tokens_.accept(","));
      tokens_.expect(";");
    } else if (!body_.labels.emplace(name, body_.statements.size()).second) {
      tokens_.fail("two labels " + name);
    }
  }

  /// call (results), function, (parameters): three vectors and symbols.
  void read_call(Statement& statement) {
    const auto list = [&] {
      Operand operand;
      operand.kind = Operand::Kind::vector;
      while (!tokens_.accept(")")) {
        operand.parts.push_back(read_operand());
        tokens_.accept(",");
      }
      return operand;
    };
    statement.operands.push_back(tokens_.accept("(") ? list() : Operand());
    tokens_.accept(",");
    statement.operands.push_back(read_operand());
    tokens_.accept(",");
    statement.operands.push_back(tokens_.accept("(") ? list() : Operand());
    while (tokens_.peek() != ";") tokens_.next();  // the prototype of an indirect call
  }

  Operand read_operand() {
    Operand operand = read_single();
    if (!tokens_.accept("|")) return operand;
    Operand pair;
    pair.kind = Operand::Kind::pair;
    pair.parts.push_back(std::move(operand));
    pair.parts.push_back(read_single());
    return pair;
  }

  Operand read_single() {
    Operand operand;
    if (tokens_.accept("{")) {
      operand.kind = Operand::Kind::vector;
      while (!tokens_.accept("}")) {
        operand.parts.push_back(read_single());
        tokens_.accept(",");
      }
    } else if (tokens_.accept("[")) {
      operand = read_single();
      operand.parts = {operand};
      operand.kind = Operand::Kind::address;
      tokens_.expect("]");
    } else if (tokens_.accept("!")) {
      operand = read_single();
      operand.negated = true;
    } else {
      read_plain(operand);
    }
    return operand;
  }

  void read_plain(Operand& operand) {
    const std::string_view word = tokens_.peek();
    const bool number = std::isdigit(static_cast<unsigned char>(word.front())) != 0 || word == "-";
    const char kind = word.size() > 1 && word[0] == '0' ? static_cast<char>(std::tolower(word[1])) : ' ';
    if (number && ((kind == 'f' && word.size() == 10) || (kind == 'd' && word.size() == 18))) {
      std::uint64_t bits = 0;
      std::from_chars(word.data() + 2, word.data() + word.size(), bits, 16);
      operand.kind = Operand::Kind::immediate;
      operand.literal = kind == 'f' ? Type::f32 : Type::f64;
      operand.value = static_cast<std::int64_t>(bits);
      tokens_.next();
    } else if (number) {
      operand.kind = Operand::Kind::immediate;
      operand.value = read_integer(tokens_);
    } else if (word == "_") {
      tokens_.next();
    } else {
      operand.name = unique(tokens_.next());
      operand.kind = body_.find_register(operand.name) || operand.name.starts_with('%') ? Operand::Kind::reg
                                                                                        : Operand::Kind::symbol;
      if (tokens_.accept("+")) operand.value = read_integer(tokens_);
      else if (tokens_.peek() == "-") operand.value = read_integer(tokens_);
    }
  }

  std::string unique(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(std::string(name)); found != scope->end()) return found->second;
    return std::string(name);
  }

  Tokens tokens_;
  Body body_;
  std::vector<std::map<std::string, std::string>> scopes_;
};

}  // namespace

Body parse_body(const Function& function) { return Reader(function.body).read(); }

}  // namespace simulated::ptx
