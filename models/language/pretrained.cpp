#include <minima/models/language/pretrained.h>

#include <minima/io/files/atomic_file.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/files/posix_file.h>
#include <minima/io/state.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/io/text/json.h>
#include <minima/nn/module/load_report.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/parametrize/stand_in.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace minima::models::detail {

namespace {

/// Throws if names or shapes differ.
void expect_same(const nn::ModuleBase& net, const State& own, const State& state) {
  std::string first;
  int differences = 0;
  const auto note = [&](const std::string& difference) {
    if (differences++ == 0) first = difference;
  };
  for (const auto& [name, target] : own.tensors())
    if (const Tensor* source = state.find(name); source && source->shape() != target.shape())
      note(str(name, " is ", target.shape(), " in the model but ", source->shape(), " among the weights"));
  for (const auto& [name, target] : own.tensors())
    if (!state.find(name)) note(str(name, " is missing"));
  for (const auto& [name, source] : state.tensors())
    if (!own.find(name)) note(str(minima::detail::printable(name), ", ", source.shape(), ", is not in the model"));
  if (differences == 0) return;
  const std::string others = differences > 1 ? str(", and ", differences - 1, " more differences") : "";
  throw ValueError(
      str(net.type_name(), ": the weights do not match the model: ", first, others, "; nothing was loaded"));
}

}  // namespace

void save_pretrained(const std::string& path, State state, Json config) {
  state.set_text("format", "pt");  // from_pretrained refuses other formats
  if (path.ends_with(".safetensors")) return write_safetensors(path, state);
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) minima::detail::throw_file_error(path, "cannot create the folder", error.value());
  write_safetensors(path + "/model.safetensors", state);
  config.set("torch_dtype", name(state.tensors().front().tensor.dtype()));
  write_file(path + "/config.json", config.text(2) + "\n");
}

namespace {

State without_adapters(const State& state) {
  State base;
  for (const auto& [name, tensor] : state.tensors())
    if (name.find(".lora.") == std::string::npos) base.add(name, tensor);
  return base;
}

}  // namespace

State base_state(const nn::ModuleBase& net) {
  if (const std::string sharded = nn::detail::find_stand_in(net); !sharded.empty())
    throw ValueError(
        str(net.type_name(), ": this rank has only a part of ", sharded,
            ", which is sharded over ranks; load Sharding::gather_state() into a model without shards, and "
            "save that"));
  return without_adapters(net.state_dict());
}

namespace {

constinit thread_local const ReleasePages* releasing = nullptr;

std::size_t bytes_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.numel()) * tensor.itemsize(); }

/// Loads a state that has been found to match, some tensors at a time.
void load_in_parts(nn::ModuleBase& net, const State& state, const ReleasePages& pages) {
  constexpr std::size_t together = 1 << 24;  // bytes: each part looks for all of the model's tensors
  State part;
  std::size_t bytes = 0;
  const auto load = [&] {
    net.load_state_dict(part, {.strict = false});
    pages.release(part);
    part = {};
    bytes = 0;
  };
  for (const auto& [name, tensor] : state.tensors()) {
    part.add(name, tensor);
    bytes += bytes_of(tensor);
    if (bytes >= together) load();
  }
  load();
}

}  // namespace

ReleasePages::ReleasePages(const std::vector<std::shared_ptr<const MappedFile>>& files)
    : files_(files), outer_(releasing) {
  releasing = this;
}
ReleasePages::~ReleasePages() { releasing = outer_; }
const ReleasePages* ReleasePages::current() { return releasing; }

void ReleasePages::release(const State& state) const {
  for (const auto& [name, tensor] : state.tensors()) {
    const auto* const data = static_cast<const std::byte*>(tensor.raw_data());
    for (const auto& file : files_)
      if (const std::span bytes = file->bytes(); !bytes.empty() && data >= &bytes.front() && data <= &bytes.back())
        file->release(static_cast<std::size_t>(data - &bytes.front()), bytes_of(tensor));
  }
}

nn::LoadReport load_weights(nn::ModuleBase& net, const State& state, nn::LoadOptions options) {
  const State own = without_adapters(nn::detail::whole_state(net));
  for (const auto& [name, tensor] : state.tensors())
    if (own.find(name) && !is_floating(tensor.dtype()))
      throw ValueError(str(net.type_name(), ": the weight ", minima::detail::printable(name), " is ", tensor.dtype(),
                           ", a quantised model's; minima loads floating weights"));
  if (options.strict) expect_same(net, own, state);
  if (options.strict && ReleasePages::current()) {
    load_in_parts(net, state, *ReleasePages::current());
    return {};
  }
  return net.load_state_dict(state, {.strict = false});
}

void settle_tied_head(State& state, const char* model, bool tied, const char* embedding) {
  const Tensor *shared = state.find(embedding), *head = state.find("lm_head.weight");
  if (!tied || !shared) return;
  if (!head) return state.add("lm_head.weight", Tensor(*shared));
  if (head->is_same(*shared) || (head->raw_data() == shared->raw_data() && head->layout() == shared->layout())) return;
  if (head->shape() == shared->shape() && !identical(*head, shared->to(head->dtype())))
    throw ValueError(
        str(model, ": the state has an output layer of its own, lm_head.weight, which differs from ", embedding,
            "; make the model with {.tied = false}, or set \"tie_word_embeddings\" to false in its config.json"));
}

}  // namespace minima::models::detail
