#pragma once

#include <map>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

/// Stands where LibTorch counts uses; nothing is counted here.
#define C10_LOG_API_USAGE_ONCE(...) static_cast<void>(0);  // some programs write no semicolon

namespace c10 {

/// Up to 100 elements, separated by spaces.
template <class Iterator>
void PrintSequence(std::ostream& out, Iterator begin, Iterator end) {
  const char* between = "";
  for (int left = 100; begin != end && left > 0; --left, ++begin) out << std::exchange(between, " ") << *begin;
  if (begin != end) out << " ...";
}

}  // namespace c10

// LibTorch lets programs print containers: `std::cout << std::vector<double>{1, 2}`.
namespace std {  // NOLINT(cert-dcl58-cpp)

template <class... T>
ostream& operator<<(ostream& out, const vector<T...>& values) {
  c10::PrintSequence(out, values.begin(), values.end());
  return out;
}
template <class... T>
ostream& operator<<(ostream& out, const map<T...>& values) {
  c10::PrintSequence(out, values.begin(), values.end());
  return out;
}
template <class... T>
ostream& operator<<(ostream& out, const set<T...>& values) {
  c10::PrintSequence(out, values.begin(), values.end());
  return out;
}
template <class A, class B>
ostream& operator<<(ostream& out, const pair<A, B>& values) {
  return out << '(' << values.first << ", " << values.second << ')';
}

}  // namespace std
