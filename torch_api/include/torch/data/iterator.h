#pragma once

#include <c10/util/Exception.h>

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace torch::data {

/// Goes through the batches of an epoch. Copies are the same iterator. The first batch is fetched at its first use.
template <typename Batch>
class Iterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = Batch;
  using pointer = Batch*;
  using reference = Batch&;
  using iterator_category = std::input_iterator_tag;

  /// The end.
  Iterator() = default;
  explicit Iterator(std::function<std::optional<Batch>()> next_batch)
      : state_(std::make_shared<State>(State{std::move(next_batch), std::nullopt, false})) {}

  Iterator& operator++() {
    TORCH_CHECK(state_, "Incrementing the DataLoader's past-the-end iterator is not allowed");
    TORCH_CHECK(state_->current(), "Attempted to increment iterator past the end");
    state_->batch = state_->next_batch();
    return *this;
  }
  Batch& operator*() {
    TORCH_CHECK(state_, "Dereferencing the DataLoader's past-the-end iterator is not allowed");
    TORCH_CHECK(state_->current(), "Attempted to dereference iterator that was past the end");
    return *state_->batch;
  }
  Batch* operator->() { return &**this; }

  /// An iterator equals itself and, once there are no more batches, the end.
  bool operator==(const Iterator& other) const {
    if (state_ == other.state_) return true;
    if (state_ && other.state_) return false;
    return !(state_ ? state_ : other.state_)->current();
  }
  bool operator!=(const Iterator& other) const { return !(*this == other); }

 private:
  struct State {
    std::function<std::optional<Batch>()> next_batch;
    std::optional<Batch> batch;
    bool has_begun;

    std::optional<Batch>& current() {
      if (!std::exchange(has_begun, true)) batch = next_batch();
      return batch;
    }
  };
  std::shared_ptr<State> state_;
};

}  // namespace torch::data
