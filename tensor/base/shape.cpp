#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace minima {

Shape Shape::filled(int rank, std::int64_t value) {
  Shape shape;
  shape.resize(rank);
  std::fill(shape.begin(), shape.end(), value);
  return shape;
}

void Shape::resize_on_heap(int rank) {
  const int kept = std::min(rank, rank_);
  if (rank > inline_rank) {
    auto* grown = new std::int64_t[static_cast<std::size_t>(rank)];
    std::copy_n(data(), kept, grown);
    release();
    heap_ = grown;
  } else {
    std::int64_t* old = heap_;
    std::copy_n(old, kept, inline_);
    delete[] old;
  }
  rank_ = rank;
}

void Shape::copy_to_heap(const std::int64_t* values, int rank) {
  heap_ = new std::int64_t[static_cast<std::size_t>(rank)];
  std::copy_n(values, rank, heap_);
  rank_ = rank;
}

void Shape::insert(int position, std::int64_t value) {
  resize(rank_ + 1);
  std::copy_backward(begin() + position, end() - 1, end());
  data()[position] = value;
}

void Shape::erase(int position) {
  std::copy(begin() + position + 1, end(), begin() + position);
  resize(rank_ - 1);
}

}  // namespace minima
