#include <minima/optim/names/named_state.h>

#include <minima/io/files/format_error.h>
#include <minima/io/state.h>
#include <minima/optim/borrow_state.h>
#include <minima/optim/optimizer.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima::optim {

namespace {

constexpr std::string_view start = "state.";
constexpr const char* marker = "named";  ///< distinguishes a parameter called 3 from the one at position 3

/// The same state with other names for its entries.
template <class F>
State renamed(const State& state, F&& rename) {
  State result;
  for (const auto& [name, text] : state.texts()) result.set_text(rename(name), text);
  for (const auto& [name, tensor] : state.tensors()) result.add(rename(name), tensor);
  return result;
}

/// `state.KEY.FIELD`; KEY may have dots.
struct SlotEntry {
  std::string key, field;
};
bool split_entry(const std::string& name, SlotEntry& entry) {
  const std::size_t dot = name.rfind('.');
  if (!name.starts_with(start) || dot == std::string::npos || dot <= start.size()) return false;
  entry = {name.substr(start.size(), dot - start.size()), name.substr(dot + 1)};
  return true;
}

std::map<std::string, std::size_t> positions_of(const Optimizer& optimizer) {
  std::map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < optimizer.slots().size(); ++i) {
    const std::string& name = optimizer.slots()[i].name;
    if (!name.empty() && !positions.emplace(name, i).second)
      throw ValueError(str(optimizer.type_name(), ": two parameters are called ", minima::detail::printable(name)));
  }
  return positions;
}

}  // namespace

State named_state(const Optimizer& optimizer) {
  const BorrowState guard;
  State state = optimizer.state_dict();
  const std::vector<Optimizer::Slot>& slots = optimizer.slots();
  if (positions_of(optimizer).size() != slots.size()) return state;
  // LBFGS has one state for all parameters, and none in its slots.
  const bool has_slots =
      std::any_of(slots.begin(), slots.end(), [](const Optimizer::Slot& slot) { return slot.step_count.defined(); });
  if (!has_slots && !state.sub("state").empty()) return state;
  State result = renamed(state, [&](const std::string& name) {
    SlotEntry entry;
    std::size_t position = 0;
    if (!split_entry(name, entry)) return name;
    std::from_chars(entry.key.data(), entry.key.data() + entry.key.size(), position);
    return str(std::string(start), slots.at(position).name, ".", entry.field);
  });
  result.set_text(marker, "1");
  return result;
}

void load_named_state(Optimizer& optimizer, const State& state) {
  if (!state.find_text(marker)) return optimizer.load_state_dict(state);
  const std::map<std::string, std::size_t> positions = positions_of(optimizer);
  std::vector<std::string> unknown;
  const State numbered = renamed(state, [&](const std::string& name) {
    SlotEntry entry;
    if (!split_entry(name, entry)) return name;
    const auto found = positions.find(entry.key);
    if (found != positions.end()) return str(std::string(start), found->second, ".", entry.field);
    if (std::find(unknown.begin(), unknown.end(), entry.key) == unknown.end()) unknown.push_back(entry.key);
    return name;
  });
  if (unknown.empty()) return optimizer.load_state_dict(numbered);
  std::string names;
  for (std::size_t i = 0; i < unknown.size() && i < 3; ++i)
    names += str(i == 0 ? "" : ", ", minima::detail::printable(unknown[i]));
  throw ValueError(
      str(optimizer.type_name(), ": the state is that of parameters by name, and the optimizer has no ", names,
          unknown.size() > 3 ? ", …" : "",
          positions.empty() ? "; name its parameters: optimizer.name_parameters(net.named_parameters())" : ""));
}

}  // namespace minima::optim
