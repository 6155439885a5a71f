#pragma once

#include "operator_schema.h"

#include <torch/library.h>

#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace c10::detail {

/// An operator of a torch::Library. It stays when the library is gone, since handles refer to it.
struct RegisteredOperator {
  std::string name;
  std::optional<OperatorSchema> schema;  ///< while it is defined
  std::map<DispatchKey, torch::CppFunction> kernels;

  /// The kernel of the first key that has one.
  const torch::CppFunction* kernel(std::initializer_list<DispatchKey> keys) const {
    for (const DispatchKey key : keys) {
      const auto found = kernels.find(key);
      if (found != kernels.end() && found->second.kind() != torch::detail::KernelKind::fallthrough)
        return &found->second;
    }
    return nullptr;
  }
};

/// All operators, by name.
struct OperatorRegistry {
  std::mutex mutex;
  std::map<std::string, RegisteredOperator, std::less<>> operators;

  static OperatorRegistry& instance();
};

}  // namespace c10::detail
