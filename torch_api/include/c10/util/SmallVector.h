#pragma once

#include <vector>

namespace c10 {

/// A std::vector: minima keeps sizes and strides in its own Shape, so nothing here is in a hot loop.
template <class T, unsigned N = 6>
class SmallVector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  SmallVector() = default;
  explicit SmallVector(std::vector<T> values) : std::vector<T>(std::move(values)) {}

  T pop_back_val() {
    T last = std::move(this->back());
    this->pop_back();
    return last;
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    this->insert(this->end(), first, last);
  }
};
template <class T> using SmallVectorImpl = std::vector<T>;

}  // namespace c10
