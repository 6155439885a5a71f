#include <minima/io/states/retention.h>

#include <minima/io/states/folder_names.h>
#include <minima/io/states/state_folder.h>
#include <minima/io/states/state_index.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace minima::detail {

namespace {

double metric_of(const std::string& folder, const StateName& state) {
  try {
    if (!state.is_file) return read_index(str(folder, "/", state.name)).metric;
  } catch (const Error&) {  // it cannot be compared
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// The names of the best states.
std::vector<std::string> best_of(const std::string& folder, const std::vector<StateName>& states,
                                 const StateFolderOptions& options, std::map<std::string, double>& metrics) {
  struct Ranked {
    double metric;
    std::string name;
  };
  std::vector<Ranked> ranked;
  for (const StateName& state : states) {
    const auto [place, is_new] = metrics.try_emplace(state.name, 0);
    if (is_new) place->second = metric_of(folder, state);
    if (!std::isnan(place->second)) ranked.push_back({options.maximize ? -place->second : place->second, state.name});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.metric < b.metric; });  // of equal ones the first
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ranked.size() && i < static_cast<std::size_t>(options.keep_best); ++i)
    names.push_back(ranked[i].name);
  return names;
}

}  // namespace

void remove_superseded(const std::string& folder, std::int64_t step, const StateFolderOptions& options,
                       std::map<std::string, double>& metrics) noexcept {
  try {
    std::vector<StateName> states = list_states(folder);
    std::erase_if(states, [&](const StateName& state) { return state.step > step; });
    std::vector<StateName> newest;  // of each step
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (i + 1 == states.size() || states[i + 1].step != states[i].step) newest.push_back(states[i]);
      else remove_state(folder, states[i].name);
    }
    if (options.keep == 0) return;
    const std::vector<std::string> best =
        options.keep_best > 0 ? best_of(folder, newest, options, metrics) : std::vector<std::string>();
    for (std::size_t i = 0; i + static_cast<std::size_t>(options.keep) < newest.size(); ++i) {
      const StateName& state = newest[i];
      const bool is_for_ever = options.keep_every > 0 && state.step % options.keep_every == 0;
      if (is_for_ever || std::find(best.begin(), best.end(), state.name) != best.end()) continue;
      remove_state(folder, state.name);
      metrics.erase(state.name);
    }
  } catch (...) {  // the next save tries again
  }
}

}  // namespace minima::detail
