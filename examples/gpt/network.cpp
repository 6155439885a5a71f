#include "network.h"

#include <minima/distributed/sharding/sharding.h>
#include <minima/io/files/atomic_file.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/tensors/safetensors.h>
#include <minima/io/text/json.h>

#include <filesystem>

using namespace minima;

namespace {

Json to_json(const Recipe& r) {
  return Json::object({{"model", r.model},
                       {"vocabulary", r.vocabulary},
                       {"length", r.length},
                       {"depth", r.depth},
                       {"width", r.width},
                       {"heads", r.heads},
                       {"mlp", r.mlp}});
}

Recipe from_json(const Json& json) {
  Recipe r{};
  r.model = json.at("model").string();
  r.vocabulary = json.at("vocabulary").integer();
  r.length = json.at("length").integer();
  r.depth = json.at("depth").integer();
  r.width = json.at("width").integer();
  r.heads = json.at("heads").integer();
  r.mlp = json.at("mlp").integer();
  return r;
}

}  // namespace

Network::Network(const Recipe& r, models::BlockCalls calls) : length_(r.length), recipe_(to_json(r)) {
  if (r.model == "gpt2")
    gpt2_.emplace(models::GPT2Options{.vocabulary = r.vocabulary,
                                      .positions = r.length,
                                      .width = r.width,
                                      .layers = r.depth,
                                      .heads = r.heads,
                                      .dropout = r.dropout,
                                      .calls = calls});
  else
    llama_.emplace(models::LlamaOptions{.vocabulary = r.vocabulary,
                                        .width = r.width,
                                        .mlp = r.mlp,
                                        .layers = r.depth,
                                        .heads = r.heads,
                                        .key_heads = r.heads,
                                        .tied = true,
                                        .calls = calls});
  for (const auto& [name, parameter] : module().named_parameters())
    if (parameter.rank() < 2) vectors_.insert(name);
}

models::CausalLM& Network::module() {
  if (gpt2_) return *gpt2_;
  return *llama_;
}

TokenLoss Network::loss(const Tensor& tokens, const Tensor& targets, const Tensor& segments, double z_loss) {
  return module().loss(tokens, targets, segments, {.z_loss = z_loss});
}

Network::Groups Network::groups() {
  Groups groups;
  for (const auto& [name, parameter] : module().named_parameters()) {
    const bool is_table = name.find("wte") != name.npos || name.find("wpe") != name.npos ||
                          name.find("embed") != name.npos || name.find("lm_head") != name.npos;
    (vectors_.contains(name) ? groups.vectors : is_table ? groups.tables : groups.hidden).push_back(parameter);
  }
  return groups;
}

std::vector<nn::ModuleBase*> Network::blocks() {
  return gpt2_ ? distributed::children_of(gpt2_->transformer.h) : distributed::children_of(llama_->model.layers);
}

void Network::save(const std::string& folder, const data::Tokenizer& tokenizer) const {
  if (gpt2_) gpt2_->save_pretrained(folder);
  else llama_->save_pretrained(folder);
  tokenizer.save(folder + "/tokenizer.json");
  write_file(folder + "/recipe.json", recipe_.text(2) + "\n");
}

Network Network::load(const std::string& folder) {
  const MappedFile file(folder + "/recipe.json");
  Network net(from_json(Json::parse(file.text(), file.path())));
  const State state = read_safetensors(folder + "/model.safetensors");
  net.module().load_pretrained(state);
  return net;
}
