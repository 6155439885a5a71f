#include "tests/faults/power_loss.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <stdexcept>

namespace faults {

namespace {

namespace fs = std::filesystem;

std::mutex mutex;
std::function<void(const Call&)> hearer;
thread_local bool is_inside = false;  ///< the recorder's own calls are not recorded

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string parent(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string leaf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Disk::Disk(std::string root) : root_(std::move(root)), start_(read(root_)) {
  hearer = [this](const Call& call) { record(call); };
  listener = [](const Call& call) {
    if (is_inside) return;
    is_inside = true;
    {
      const std::lock_guard guard(mutex);
      if (hearer) hearer(call);
    }
    is_inside = false;
  };
}

Disk::~Disk() { stop(); }

void Disk::stop() {
  const std::lock_guard guard(mutex);
  listener = nullptr;
  hearer = nullptr;
}

void Disk::record(const Call& call) {
  const std::string name = call.name;
  if (name == "open" || name == "create") files_[call.file] = call.path;
  const std::string path = name == "fsync" ? files_[call.file] : call.path;
  if (name == "open" || (path != root_ && !path.starts_with(root_ + "/"))) return;
  const bool has_content = name == "fsync" && !fs::is_directory(path);
  events_.push_back({name, path, call.other, has_content ? content_of(path) : ""});
}

Disk::NodePointer Disk::read(const std::string& path) {
  auto node = std::make_shared<Node>();
  if (fs::is_symlink(path)) {
    node->target = fs::read_symlink(path);
  } else if (fs::is_directory(path)) {
    node->is_folder = true;
    for (const auto& entry : fs::directory_iterator(path)) node->names[entry.path().filename()] = read(entry.path());
    node->flushed = node->names;
  } else {
    node->content = content_of(path);
  }
  return node;
}

Disk::NodePointer Disk::copy(const NodePointer& node, std::map<const Node*, NodePointer>& copies) {
  NodePointer& made = copies[node.get()];
  if (made) return made;
  made = std::make_shared<Node>(*node);
  const NodePointer result = made;
  for (auto& [name, child] : result->names) child = copy(child, copies);
  result->flushed = result->names;
  return result;
}

void Disk::restore(std::size_t count, const std::function<bool()>& survives, const std::string& to) const {
  std::map<const Node*, NodePointer> copies;
  const NodePointer root = copy(start_, copies);
  const auto find = [&](const std::string& path) {
    NodePointer node = root;
    for (std::size_t at = root_.size(); at < path.size();) {
      const std::size_t end = std::min(path.find('/', at + 1), path.size());
      const std::string name = path.substr(at + 1, end - at - 1);
      if (!node->names.count(name)) throw std::runtime_error("no " + path);
      node = node->names[name];
      at = end;
    }
    return node;
  };
  const auto change = [&](const std::string& folder, Change made) {
    const NodePointer node = find(folder);
    if (!made.removed.empty()) node->names.erase(made.removed);
    if (!made.added.empty()) node->names[made.added] = made.node;
    node->changes.push_back(std::move(made));
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Event& event = events_[i];
    const std::string name = leaf(event.path);
    if (event.call == "fsync") {
      const NodePointer node = find(event.path);
      node->content = event.content;
      node->flushed = node->names;
      node->changes.clear();
    } else if (event.call == "rename") {
      change(parent(event.path), {name, leaf(event.other), find(event.path)});
    } else if (event.call == "unlink" || event.call == "rmdir") {
      change(parent(event.path), {name, "", nullptr});
    } else if (event.call != "create" || !find(parent(event.path))->names.count(name)) {
      auto node = std::make_shared<Node>();
      node->is_folder = event.call == "mkdir";
      node->target = event.call == "symlink" ? event.other : "";
      change(parent(event.path), {"", name, node});
    }
  }
  write(*root, survives, to);
}

void Disk::write(const Node& node, const std::function<bool()>& survives, const std::string& to) {
  if (!node.target.empty()) {
    fs::create_symlink(node.target, to);
  } else if (!node.is_folder) {
    std::ofstream(to, std::ios::binary) << node.content;
  } else {
    std::map<std::string, NodePointer> names = node.flushed;
    for (const Change& change : node.changes) {
      if (!survives()) continue;
      if (!change.removed.empty()) names.erase(change.removed);
      if (!change.added.empty()) names[change.added] = change.node;
    }
    fs::create_directories(to);
    for (const auto& [name, child] : names) write(*child, survives, to + "/" + name);
  }
}

}  // namespace faults
