#pragma once

#include <list>
#include <map>
#include <utility>

namespace minima::detail {

/// An LRU map of at most `capacity` entries.
template <class Key, class Value>
class Recent {
 public:
  explicit Recent(std::size_t capacity) : capacity_(capacity) {}

  /// The entry of a key, marked as most recently used; null if there is none.
  Value* find(const Key& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->second;
  }
  /// Adds or replaces an entry; evicts the least recently used one if the map is full.
  Value& put(const Key& key, Value value) {
    if (Value* const known = find(key)) return *known = std::move(value);
    entries_.emplace_front(key, std::move(value));
    places_[key] = entries_.begin();
    if (entries_.size() > capacity_) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    return entries_.front().second;
  }
  std::size_t size() const { return entries_.size(); }
  /// The entry that the next new key evicts; null while there is room.
  Value* next_evicted() { return entries_.size() < capacity_ ? nullptr : &entries_.back().second; }

 private:
  using Entries = std::list<std::pair<Key, Value>>;
  std::size_t capacity_;
  Entries entries_;
  std::map<Key, typename Entries::iterator> places_;
};

}  // namespace minima::detail
