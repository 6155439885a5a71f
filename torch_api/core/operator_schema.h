#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace c10::detail {

/// An argument or result of an operator: which memory it shares, and whether it is changed.
struct SchemaItem {
  std::string alias;  ///< `a` of `Tensor(a!)`
  bool is_written = false;
};

/// Holds what an operator's schema says, `ns::name.overload(Tensor(a!) self, int n=1) -> (Tensor, Tensor(a!))`. Types
/// and defaults are the kernels' matter.
struct OperatorSchema {
  std::string name;  ///< without namespace, with overload
  std::vector<SchemaItem> arguments, results;
  bool is_complete = false;  ///< false if only the name was given
};

/// Throws c10::Error if parentheses or the arrow are missing.
OperatorSchema parse_schema(std::string_view text);

}  // namespace c10::detail
