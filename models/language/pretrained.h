#pragma once

#include <minima/io/files/mapped_file.h>
#include <minima/io/state.h>
#include <minima/io/text/json.h>
#include <minima/nn/module/module_base.h>

#include <memory>
#include <string>
#include <vector>

namespace minima::models::detail {

/// Writes a state under Hugging Face's names. A path that ends in `.safetensors` gets the weights alone. Any other is a
/// folder, made if it is missing, that gets `model.safetensors` and `config.json`: `config` with the weights' dtype.
void save_pretrained(const std::string& path, State state, Json config);

/// The state dict without adapters (nn/adapters), which have files of their own. Throws ValueError for a model whose
/// parameters are sharded over ranks.
State base_state(const nn::ModuleBase& net);

/// load_state_dict with one line for all differences, which a model of other options has in every layer, and a
/// ValueError for weights that are no floating numbers.
nn::LoadReport load_weights(nn::ModuleBase& net, const State& state, nn::LoadOptions options);

/// While it lives, load_weights of this thread takes the files' pages out of memory as it has copied their tensors, so
/// that memory never holds a model twice.
class ReleasePages {
 public:
  explicit ReleasePages(const std::vector<std::shared_ptr<const MappedFile>>& files);
  ReleasePages(const ReleasePages&) = delete;
  ReleasePages& operator=(const ReleasePages&) = delete;
  ~ReleasePages();
  /// That of the thread; null if there is none.
  static const ReleasePages* current();
  /// Releases what a state's tensors take of the files.
  void release(const State& state) const;

 private:
  const std::vector<std::shared_ptr<const MappedFile>>& files_;
  const ReleasePages* outer_;
};

/// Completes a state by the output layer of a model whose options tie it to the embedding. A state of the model that
/// holds both must have them equal, or this throws ValueError: of two weights one would be lost.
void settle_tied_head(State& state, const char* model, bool tied, const char* embedding);

}  // namespace minima::models::detail
