#pragma once

#include <string>

namespace minima::test {

/// docs/operators.md, made from the operators' headers and their tables of cases.
std::string operator_table();

}  // namespace minima::test
