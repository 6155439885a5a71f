#include "simulated/ptx/text/module.h"

#include "simulated/ptx/text/declarations.h"
#include "simulated/ptx/text/tokens.h"

#include <algorithm>
#include <cstring>

namespace simulated::ptx {

namespace {

std::vector<Variable> read_parameters(Tokens& tokens) {
  std::vector<Variable> result;
  tokens.expect("(");
  while (!tokens.accept(")")) {
    const std::string_view space = tokens.next();
    if (space == ".reg") tokens.fail("parameters in registers are not known");
    result.push_back(read_variable(tokens, space));
    tokens.accept(",");
  }
  return result;
}

Function read_function(Tokens& tokens, bool entry) {
  Function result;
  result.entry = entry;
  if (!entry && tokens.peek() == "(") result.results = read_parameters(tokens);
  result.name = tokens.next();
  if (tokens.peek() == "(") result.parameters = read_parameters(tokens);
  // .maxntid 256, 1, 1 and other hints to the compiler
  while (!tokens.at_end() && tokens.peek() != "{" && tokens.peek() != ";") tokens.next();
  if (tokens.accept("{")) result.body = tokens.skip_block();
  else tokens.accept(";");
  return result;
}

}  // namespace

Module::Module(std::string text) : text_(std::move(text)) {
  Tokens tokens(text_);
  bool external = false;
  while (!tokens.at_end()) {
    const std::string_view word = tokens.next();
    if (word == ".version" || word == ".target" || word == ".address_size" || word == ".file" || word == ".pragma") {
      tokens.skip_line();
    } else if (word == ".section") {  // of a debugger
      while (tokens.next() != "{") {}
      tokens.skip_block();
    } else if (word == ".extern") {
      external = true;
    } else if (word == ".visible" || word == ".weak" || word == ".common") {
      external = false;
    } else if (word == ".entry" || word == ".func") {
      functions_.push_back(read_function(tokens, word == ".entry"));
      external = false;
    } else if (is_space(word)) {
      variables_.push_back(read_variable(tokens, word));
      variables_.back().external = external;
      external = false;
      tokens.expect(";");
    } else if (word == ".alias") {
      tokens.skip_line();
    } else {
      tokens.fail("unknown directive " + std::string(word));
    }
  }
  place_variables();
}

/// Variables are in ordinary memory of this process, which GPUs' addresses are in the simulation.
void Module::place_variables() {
  for (const Variable& variable : variables_) {
    if (variable.space != "global" && variable.space != "const") continue;
    Storage& storage = storage_[variable.name];
    storage.bytes.resize(variable.bytes + variable.alignment);
    const auto start = reinterpret_cast<std::uint64_t>(storage.bytes.data());
    storage.begin = (start + variable.alignment - 1) / variable.alignment * variable.alignment;
    storage.end = storage.begin + variable.bytes;
    std::copy(variable.data.begin(), variable.data.end(), storage.bytes.data() + (storage.begin - start));
  }
  for (const Variable& variable : variables_)
    for (const auto& [offset, symbol] : variable.addresses) {
      auto* const word = reinterpret_cast<unsigned char*>(storage_[variable.name].begin + offset);
      std::uint64_t value = 0;
      std::memcpy(&value, word, sizeof value);
      value += address_of(symbol);
      std::memcpy(word, &value, sizeof value);
    }
}

std::uint64_t Module::address_of(const std::string& name) const {
  const auto found = storage_.find(name);
  return found == storage_.end() ? 0 : found->second.begin;
}

std::pair<std::uint64_t, std::uint64_t> Module::variable_at(std::uint64_t address) const {
  for (const auto& [name, storage] : storage_)
    if (address >= storage.begin && address < storage.end) return {storage.begin, storage.end};
  return {};
}

const Function* Module::find(std::string_view name) const {
  const auto found = std::find_if(functions_.begin(), functions_.end(), [&](const Function& function) {
    return function.name == name && !function.body.empty();
  });
  return found == functions_.end() ? nullptr : &*found;
}

std::optional<Type> Body::find_register(const std::string& name) const {
  if (const auto found = registers.find(name); found != registers.end()) return found->second;
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size() || digits == 0) return std::nullopt;
  const auto found = families.find(name.substr(0, digits));
  if (found == families.end() || std::stoul(name.substr(digits)) >= found->second.second) return std::nullopt;
  return found->second.first;
}

}  // namespace simulated::ptx
