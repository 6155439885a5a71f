#pragma once

#include <ATen/core/ivalue.h>  // which includes this header

namespace c10 {

namespace detail {
/// A dictionary's entries in the order of insertion. Strings are found by hash, other keys one by one.
struct DictEntries {
  using Entry = std::pair<IValue, IValue>;
  DictEntries();
  ~DictEntries();
  DictEntries(const DictEntries&) = delete;
  DictEntries& operator=(const DictEntries&) = delete;

  /// The index of a key, or of the end.
  std::size_t find(const IValue& key) const;
  void set(IValue key, IValue value);
  bool erase(const IValue& key);

  std::vector<Entry> entries;

 private:
  struct Names;
  std::unique_ptr<Names> names_;
};
}  // namespace detail

/// A dictionary that its copies share.
template <class Key, class Value>
class Dict final {
  using Entry = detail::DictEntries::Entry;

 public:
  using key_type = Key;
  using mapped_type = Value;

  class EntryRef {
   public:
    explicit EntryRef(Entry& entry) : entry_(&entry) {}
    Key key() const { return entry_->first.template to<Key>(); }
    Value value() const { return entry_->second.template to<Value>(); }
    void setValue(const Value& value) const { entry_->second = IValue(value); }

   private:
    Entry* entry_;
  };
  class iterator {
   public:
    explicit iterator(Entry* at) : at_(at) {}
    EntryRef operator*() const { return EntryRef(*at_); }
    std::unique_ptr<EntryRef> operator->() const { return std::make_unique<EntryRef>(*at_); }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const iterator&) const = default;

   private:
    Entry* at_;
  };

  Dict() : entries_(std::make_shared<detail::DictEntries>()) {}
  /// The dictionary in a value, shared.
  explicit Dict(const IValue& value) : entries_(value.entries()) {}

  std::size_t size() const { return entries_->entries.size(); }
  bool empty() const { return size() == 0; }
  iterator begin() const { return iterator(entries_->entries.data()); }
  iterator end() const { return iterator(entries_->entries.data() + size()); }
  iterator find(const Key& key) const { return iterator(entries_->entries.data() + entries_->find(IValue(key))); }
  bool contains(const Key& key) const { return entries_->find(IValue(key)) < size(); }
  Value at(const Key& key) const {
    TORCH_CHECK(contains(key), "Argument passed to at() was not in the map.");
    return (*find(key)).value();
  }
  std::pair<iterator, bool> insert(const Key& key, const Value& value) const {
    const bool is_new = !contains(key);
    if (is_new) entries_->set(IValue(key), IValue(value));
    return {find(key), is_new};
  }
  std::pair<iterator, bool> insert_or_assign(const Key& key, const Value& value) const {
    const bool is_new = !contains(key);
    entries_->set(IValue(key), IValue(value));
    return {find(key), is_new};
  }
  std::size_t erase(const Key& key) const { return entries_->erase(IValue(key)); }
  void clear() { entries_ = std::make_shared<detail::DictEntries>(); }
  bool is(const Dict& other) const { return entries_ == other.entries_; }

 private:
  friend struct IValue;
  std::shared_ptr<detail::DictEntries> entries_;
};

}  // namespace c10
