#pragma once

#include <torch/serialize/archive.h>
#include <torch/serialize/tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace torch {

/// Saves a tensor, a module, an optimizer or anything that has `operator<<` for archives, to a file, a stream or a
/// function. Files are LibTorch's, in both directions.
template <typename Value, typename... SaveToArgs>
void save(const Value& value, SaveToArgs&&... args) {
  serialize::OutputArchive archive;
  archive << value;
  archive.save_to(std::forward<SaveToArgs>(args)...);
}
/// Saves a list of tensors under "0", "1", …
template <typename... SaveToArgs>
void save(const std::vector<Tensor>& tensor_vec, SaveToArgs&&... args) {
  serialize::OutputArchive archive;
  for (size_t i = 0; i < tensor_vec.size(); ++i) archive.write(std::to_string(i), tensor_vec[i]);
  archive.save_to(std::forward<SaveToArgs>(args)...);
}

template <typename Value, typename... LoadFromArgs>
void load(Value& value, LoadFromArgs&&... args) {
  serialize::InputArchive archive;
  archive.load_from(std::forward<LoadFromArgs>(args)...);
  archive >> value;
}
/// Appends all tensors of a list.
template <typename... LoadFromArgs>
void load(std::vector<Tensor>& tensor_vec, LoadFromArgs&&... args) {
  serialize::InputArchive archive;
  archive.load_from(std::forward<LoadFromArgs>(args)...);
  for (size_t i = 0;; ++i) {
    Tensor value;
    if (!archive.try_read(std::to_string(i), value)) break;
    tensor_vec.push_back(std::move(value));
  }
}

/// Writes and reads what Python's torch.save and torch.load do: numbers, strings, tensors, lists, tuples and dicts.
std::vector<char> pickle_save(const c10::IValue& ivalue);
c10::IValue pickle_load(const std::vector<char>& data);

}  // namespace torch
