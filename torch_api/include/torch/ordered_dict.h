#pragma once

#include <c10/util/Exception.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace torch {

/// A dictionary that iterates in order of insertion. Keys are found in constant time; `erase` is linear.
template <typename Key, typename Value>
class OrderedDict {
 public:
  class Item {
   public:
    Item(Key key, Value value) : pair_(std::move(key), std::move(value)) {}
    Value& operator*() { return pair_.second; }
    const Value& operator*() const { return pair_.second; }
    Value* operator->() { return &pair_.second; }
    const Value* operator->() const { return &pair_.second; }
    const Key& key() const noexcept { return pair_.first; }
    Value& value() noexcept { return pair_.second; }
    const Value& value() const noexcept { return pair_.second; }
    const std::pair<Key, Value>& pair() const noexcept { return pair_; }

   private:
    std::pair<Key, Value> pair_;
  };

  using Iterator = typename std::vector<Item>::iterator;
  using ConstIterator = typename std::vector<Item>::const_iterator;

  /// Errors call a key by `key_description`: "Parameter 'weight' already defined".
  explicit OrderedDict(std::string key_description = "Key") : key_description_(std::move(key_description)) {}
  OrderedDict(std::initializer_list<Item> items) {
    reserve(items.size());
    for (const Item& item : items) insert(item.key(), item.value());
  }

  const std::string& key_description() const noexcept { return key_description_; }

  Item& front() { return items_[check_not_empty("front", 0)]; }
  const Item& front() const { return items_[check_not_empty("front", 0)]; }
  Item& back() { return items_[check_not_empty("back", size() - 1)]; }
  const Item& back() const { return items_[check_not_empty("back", size() - 1)]; }
  Item& operator[](std::size_t index) { return items_[check_index(index)]; }
  const Item& operator[](std::size_t index) const { return items_[check_index(index)]; }
  Value& operator[](const Key& key) { return items_[index_of(key)].value(); }
  const Value& operator[](const Key& key) const { return items_[index_of(key)].value(); }

  Value* find(const Key& key) noexcept {
    auto found = index_.find(key);
    return found == index_.end() ? nullptr : &items_[found->second].value();
  }
  const Value* find(const Key& key) const noexcept { return const_cast<OrderedDict*>(this)->find(key); }
  bool contains(const Key& key) const noexcept { return index_.contains(key); }

  Iterator begin() { return items_.begin(); }
  ConstIterator begin() const { return items_.begin(); }
  Iterator end() { return items_.end(); }
  ConstIterator end() const { return items_.end(); }

  std::size_t size() const noexcept { return items_.size(); }
  bool is_empty() const noexcept { return items_.empty(); }
  void reserve(std::size_t capacity) {
    index_.reserve(capacity);
    items_.reserve(capacity);
  }

  /// Appends; throws if the key is there already.
  template <typename K, typename V>
  Value& insert(K&& key, V&& value) {
    TORCH_CHECK(!index_.contains(key), key_description_, " '", key, "' already defined");
    items_.emplace_back(Key(std::forward<K>(key)), std::forward<V>(value));
    index_.emplace(items_.back().key(), size() - 1);
    return items_.back().value();
  }
  Value& insert(Key key, Value&& value) { return insert<Key, Value>(std::move(key), std::move(value)); }

  /// Appends all items of `other`; throws at a key that is there already.
  void update(OrderedDict&& other) {
    reserve(size() + other.size());
    for (Item& item : other) insert(item.key(), std::move(item.value()));
  }
  void update(const OrderedDict& other) {
    reserve(size() + other.size());
    for (const Item& item : other) insert(item.key(), item.value());
  }

  void erase(const Key& key) {
    auto found = index_.find(key);
    TORCH_CHECK(found != index_.end(), "Key '", key, "' doesn't exist");
    const std::size_t position = found->second;
    index_.erase(found);
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(position));
    for (auto& entry : index_)
      if (entry.second > position) --entry.second;
  }
  void clear() {
    index_.clear();
    items_.clear();
  }

  const std::vector<Item>& items() const noexcept { return items_; }
  std::vector<Key> keys() const {
    return collect<Key>([](const Item& item) { return item.key(); });
  }
  std::vector<Value> values() const {
    return collect<Value>([](const Item& item) { return item.value(); });
  }
  std::vector<std::pair<Key, Value>> pairs() const {
    return collect<std::pair<Key, Value>>([](const Item& item) { return item.pair(); });
  }

  friend bool operator==(const OrderedDict& a, const OrderedDict& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(a.items_[i].key() == b.items_[i].key() && a.items_[i].value() == b.items_[i].value())) return false;
    return true;
  }

 private:
  std::size_t check_not_empty(const char* function, std::size_t index) const {
    TORCH_CHECK(!items_.empty(), "Called ", function, "() on an empty OrderedDict");
    return index;
  }
  std::size_t check_index(std::size_t index) const {
    TORCH_CHECK(index < size(), "Index ", index, " is out of bounds");
    return index;
  }
  std::size_t index_of(const Key& key) const {
    auto found = index_.find(key);
    TORCH_CHECK(found != index_.end(), key_description_, " '", key, "' is not defined");
    return found->second;
  }
  template <typename Out, typename Function>
  std::vector<Out> collect(Function function) const {
    std::vector<Out> out;
    out.reserve(size());
    for (const Item& item : items_) out.push_back(function(item));
    return out;
  }

  std::unordered_map<Key, std::size_t> index_;
  std::vector<Item> items_;
  std::string key_description_ = "Key";
};

}  // namespace torch
