#pragma once

#include <map>
#include <string>
#include <vector>

namespace minima::test {

/// The parameter lists of each function that the public headers of ops/ declare, one per overload.
std::map<std::string, std::vector<std::string>> declarations();

}  // namespace minima::test
