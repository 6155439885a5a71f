#pragma once

#include <ATen/core/ivalue.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace torch::serialize::detail {

/// The entries of an archive, in the order of writing.
struct Entries {
  struct Entry {
    std::string key;
    c10::IValue value;
    std::shared_ptr<const Entries> archive;  ///< instead of a value
    bool is_parameter = false, is_buffer = false;
  };
  std::vector<Entry> all;

  const Entry* find(const std::string& key) const;
  /// The entries whose names start so, without that: "a.weight" of a state dict of Python's is "weight" in "a.". Null
  /// if there are none.
  std::shared_ptr<const Entries> inside(const std::string& prefix) const;
  /// Adds an entry, or replaces the one of that name.
  void set(Entry entry);
};

/// The content of a file, and back; errors are c10::Error and name `source`.
std::string to_bytes(const Entries& entries);
std::shared_ptr<const Entries> from_bytes(std::span<const char> bytes, const std::string& source);
/// The same for a single value.
std::string value_to_bytes(const c10::IValue& value);
c10::IValue value_from_bytes(std::span<const char> bytes);

}  // namespace torch::serialize::detail
