// Compares two states of runs bit by bit, but for the facts of the processes that wrote them:
//
//   compare_states RUN-A/latest RUN-B/latest

#include <minima/io/states/saved_state.h>
#include <minima/tensor/base/error.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

using minima::SavedState;
using minima::State;

int differences = 0;

void report(const std::string& name, const char* what) {
  std::printf("compare_states: %s %s\n", name.c_str(), what);
  ++differences;
}

bool is_fact(const std::string& name) { return name.starts_with("run.facts.") || name.starts_with("run.logs."); }

void compare(const State& a, const State& b) {
  if (a.tensors().size() != b.tensors().size() || a.texts().size() != b.texts().size())
    report("the states", "have other entries");
  for (const auto& [name, text] : a.texts()) {
    const std::string* const other = b.find_text(name);
    if (!is_fact(name) && (!other || *other != text)) report(name, "differs");
  }
  for (const auto& [name, tensor] : a.tensors()) {
    const minima::Tensor* const other = b.find(name);
    const bool is_like = other && other->dtype() == tensor.dtype() && other->shape() == tensor.shape();
    if (!is_like || std::memcmp(tensor.raw_data(), other->raw_data(),
                                static_cast<std::size_t>(tensor.numel()) * tensor.itemsize()) != 0)
      report(name, "differs");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const SavedState a = SavedState::open(argv[1]), b = SavedState::open(argv[2]);
    if (a.step() != b.step() || a.ranks() != b.ranks()) report("the states", "are of other steps or ranks");
    compare(a.replicated(), b.replicated());
    for (int rank = 0; rank < a.ranks() && rank < b.ranks(); ++rank) compare(*a.own(rank), *b.own(rank));
    std::printf("%zu tensors compared at step %lld\n", a.tensors().size(), static_cast<long long>(a.step()));
  } catch (const minima::Error& error) {
    std::fprintf(stderr, "compare_states: %s\n", error.what());
    return 2;
  }
  return differences == 0 ? 0 : 1;
}
