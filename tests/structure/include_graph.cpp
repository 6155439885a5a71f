#include "tests/structure/include_graph.h"

#include <algorithm>
#include <map>
#include <set>

namespace structure {

namespace fs = std::filesystem;

namespace {

const std::string prefix = "minima/";

bool is_ours(const Include& include) { return include.name.starts_with(prefix); }

/// `minima/ops/op.h` is `ops/op.h` in the tree.
std::string path_of(const Include& include) { return include.name.substr(prefix.size()); }

std::string place(const SourceFile& file, const Include& include) {
  return file.path + ":" + std::to_string(include.line) + " includes " + include.name + ": ";
}

int position(const std::string& layer) {
  const auto found = std::find(layers().begin(), layers().end(), layer);
  return found == layers().end() ? -1 : static_cast<int>(found - layers().begin());
}

/// Advice tries what all layers offer, so only the rest of the profiler stays below nn.
bool may_include(const SourceFile& file, const std::string& to) {
  const std::string from = file.folder();
  if (from == to) return true;
  if (to == "profiler") return false;
  if (from == "profiler" && !file.path.starts_with("profiler/advice/")) return position(to) <= position("io");
  return position(to) < position(from);
}

std::string broken_rule(const fs::path& root, const SourceFile& file, const Include& include) {
  if (include.quoted) return "the library's files include one another as <minima/LAYER/file.h>";
  if (!is_ours(include)) return "";
  const std::string path = path_of(include);
  if (path == "minima.h") return "it is for users and stands above all layers";
  const std::string layer = path.substr(0, path.find('/'));
  if (position(layer) < 0) return "there is no layer " + layer;
  if (!may_include(file, layer)) return file.folder() + " may not include " + layer;
  if (!fs::exists(root / path)) return "there is no such file";
  return "";
}

/// Calls visit(file) for the header and everything of minima that it reaches, each once.
template <class Visit>
void walk(const fs::path& root, const std::string& header, std::set<std::string>& seen, const Visit& visit) {
  if (!fs::exists(root / header) || !seen.insert(header).second) return;
  const SourceFile file = read_source(root, root / header);
  visit(file);
  for (const Include& include : file.includes())
    if (is_ours(include)) walk(root, path_of(include), seen, visit);
}

const std::set<std::string> light_headers{
    "array", "concepts", "cstddef",     "cstdint", "exception",   "initializer_list", "iosfwd", "optional",
    "span",  "string",   "string_view", "tuple",   "type_traits", "utility",          "vector"};

bool is_for_operator_authors(const std::string& path) {
  return path == "ops/op.h" || (path.starts_with("ops/pointwise") && path.find('/', 4) == std::string::npos);
}

}  // namespace

Complaints check_layers(const fs::path& root) {
  Complaints complaints;
  for (const SourceFile& file : library_sources(root))
    for (const Include& include : file.includes())
      if (const std::string rule = broken_rule(root, file, include); !rule.empty())
        complaints.push_back(place(file, include) + rule);
  return complaints;
}

Complaints check_public_headers(const fs::path& root) {
  Complaints complaints;
  std::set<std::string> seen;
  walk(root, "minima.h", seen, [&](const SourceFile& file) {
    for (const Include& include : file.includes()) {
      const std::string path = is_ours(include) ? path_of(include) : "";
      if (path.empty() && !light_headers.count(include.name))
        complaints.push_back(place(file, include) + "minima.h may not reach it; see light_headers in this test");
      else if (is_for_operator_authors(path))
        complaints.push_back(place(file, include) + "minima.h may not reach headers for authors of operators");
      else if (path.starts_with("profiler/"))
        complaints.push_back(place(file, include) + "the profiler is included by those who use it");
    }
  });
  return complaints;
}

namespace {

using Edges = std::map<std::string, std::set<std::string>>;

/// One complaint for each cycle that a walk through the graph meets: `a → b → a`.
Complaints cycles_in(const Edges& edges) {
  Complaints complaints;
  std::set<std::string> done;
  std::vector<std::string> way;
  const auto visit = [&](const auto& self, const std::string& node) -> void {
    const auto start = std::find(way.begin(), way.end(), node);
    if (start != way.end()) {
      std::string cycle;
      for (auto step = start; step != way.end(); ++step) cycle += *step + " → ";
      complaints.push_back(cycle + node);
    }
    if (start != way.end() || done.count(node) || !edges.count(node)) return;
    way.push_back(node);
    for (const std::string& next : edges.at(node)) self(self, next);
    way.pop_back();
    done.insert(node);
  };
  for (const auto& [node, unused] : edges) visit(visit, node);
  return complaints;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

bool is_source(const std::string& path) { return path.ends_with(".cpp") || path.ends_with(".cu"); }

/// A header that consists of includes alone.
bool is_umbrella(const SourceFile& file) {
  const auto is_plain = [](const std::string& line) {
    return line.empty() || line.starts_with("#pragma once") || line.starts_with("#include") || line.starts_with("//");
  };
  return !is_source(file.path) && !file.includes().empty() &&
         std::all_of(file.lines.begin(), file.lines.end(), is_plain);
}

/// The parts of simulated/ stand on one another: the runtime, then programs that use minima, then tests of both.
enum class Part { outside, runtime, program, test };

Part part_of(const std::string& path) {
  if (path.starts_with("simulated/tests/")) return Part::test;
  if (path.starts_with("simulated/dryrun/") || path.starts_with("simulated/prices/")) return Part::program;
  return path.starts_with("simulated/") ? Part::runtime : Part::outside;
}

/// The rule that an include in simulated/ breaks; empty if it breaks none.
std::string broken_rule_of_simulation(const SourceFile& file, const Include& include) {
  // Graphs of cuDNN's are part of minima, and NCCL adds half types as minima does.
  const bool may = file.path.starts_with("simulated/cudnn/") || include.name == "minima/tensor/base/half.h";
  if (part_of(file.path) == Part::runtime && is_ours(include) && !may)
    return "the simulated GPUs know nothing of minima";
  const Part to = part_of(include.name);
  if (part_of(file.path) < to && to == Part::program)
    return "the simulated GPUs know nothing of programs that use them";
  if (part_of(file.path) < to && to == Part::test) return "only tests know tests";
  return "";
}

}  // namespace

Complaints check_simulation(const fs::path& root) {
  const auto is_its = [](const Include& include) { return part_of(include.name) != Part::outside; };
  Complaints complaints;
  for (const SourceFile& file : library_sources(root))
    for (const Include& include : file.includes())
      if (is_its(include)) complaints.push_back(place(file, include) + "only tests know the simulated GPUs");
  Edges edges;
  for (const SourceFile& file : sources_in(root, {"simulated"})) {
    const std::vector<Include> includes = file.includes();
    for (const Include& include : includes) {
      if (const std::string rule = broken_rule_of_simulation(file, include); !rule.empty())
        complaints.push_back(place(file, include) + rule);
      if (part_of(file.path) != Part::test && is_its(include) && folder_of(include.name) != folder_of(file.path))
        edges[folder_of(file.path)].insert(folder_of(include.name));
    }
    const std::string header = file.path.substr(0, file.path.rfind('.')) + ".h";
    if (part_of(file.path) != Part::test && is_source(file.path) && fs::exists(root / header) &&
        (includes.empty() || includes[0].name != header))
      complaints.push_back(file.path + ": include its own header first");
  }
  const Complaints cycles = cycles_in(edges);
  complaints.insert(complaints.end(), cycles.begin(), cycles.end());
  return complaints;
}

Complaints check_cycles(const fs::path& root) {
  Edges edges;
  for (const SourceFile& file : library_sources(root))
    for (const Include& include : file.includes())
      if (is_ours(include)) edges[file.path].insert(path_of(include));
  return cycles_in(edges);
}

Complaints check_folder_cycles(const fs::path& root) {
  std::map<std::string, std::vector<std::string>> included, umbrellas;
  for (const SourceFile& file : library_sources(root)) {
    auto& list = (is_umbrella(file) ? umbrellas : included)[file.path];
    for (const Include& include : file.includes())
      if (is_ours(include)) list.push_back(path_of(include));
  }
  std::set<std::string> declarations, operators;
  for (const std::string& path : umbrellas["ops/ops.h"]) {
    declarations.insert(path);
    operators.insert(folder_of(path));
  }
  Edges edges;
  const auto add = [&](const auto& self, const std::string& from, const std::string& to) -> void {
    if (const auto umbrella = umbrellas.find(to); umbrella != umbrellas.end()) {
      for (const std::string& path : umbrella->second) self(self, from, path);
      return;
    }
    if (is_source(from) && operators.count(folder_of(from)) && declarations.count(to)) return;
    if (folder_of(from) != folder_of(to)) edges[folder_of(from)].insert(folder_of(to));
  };
  for (const auto& [from, list] : included)
    for (const std::string& to : list) add(add, from, to);
  return cycles_in(edges);
}

std::vector<std::string> reachable_headers(const fs::path& root, const std::string& header) {
  std::set<std::string> seen;
  walk(root, header, seen, [](const SourceFile&) {});
  return {seen.begin(), seen.end()};
}

}  // namespace structure
