#include "simulated/failure_plan.h"

#include <sstream>
#include <stdexcept>

namespace simulated {

FailurePlan::FailurePlan(const std::string& text) {
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t colon = part.find(':'), equals = part.find('=');
    try {
      if (colon == std::string::npos || equals == std::string::npos || equals < colon) throw std::invalid_argument("");
      fail(part.substr(0, colon), std::stoll(part.substr(colon + 1, equals - colon - 1)),
           std::stoi(part.substr(equals + 1)));
    } catch (const std::logic_error&) {
      throw std::invalid_argument("failure plan: \"" + part + "\" is not FUNCTION:CALL=STATUS, as in cudaMalloc:3=2");
    }
  }
}

void FailurePlan::fail(const std::string& function, std::int64_t n, int status) {
  failures_[function][calls(function) + n] = status;
}

int FailurePlan::count(const std::string& function) {
  const std::int64_t number = ++calls_[function];
  if (listener_) listener_(function);
  const auto plan = failures_.find(function);
  if (plan == failures_.end()) return 0;
  const auto failure = plan->second.find(number);
  return failure == plan->second.end() ? 0 : failure->second;
}

std::int64_t FailurePlan::calls(const std::string& function) const {
  const auto found = calls_.find(function);
  return found == calls_.end() ? 0 : found->second;
}

}  // namespace simulated
