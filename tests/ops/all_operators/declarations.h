#pragma once

#include <map>
#include <string>
#include <vector>

namespace minima::test {

/// The parameters of each function that a public header of operators declares, overloads one after the other.
std::map<std::string, std::vector<std::string>> declarations();

}  // namespace minima::test
