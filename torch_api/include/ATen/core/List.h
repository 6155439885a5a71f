#pragma once

#include <ATen/core/ivalue.h>  // which includes this header

#include <initializer_list>

namespace c10 {

/// A list of values that its copies share.
template <class T>
class List final {
  using Items = std::vector<IValue>;

 public:
  using value_type = T;
  using size_type = std::size_t;

  /// `list[i]`: reads as T, and can be assigned to.
  class Element {
   public:
    explicit Element(IValue& place) : place_(place) {}
    operator T() const { return place_.to<T>(); }
    const IValue& get() const { return place_; }
    void operator=(const T& value) && { place_ = IValue(value); }

   private:
    IValue& place_;
  };
  class iterator {
   public:
    explicit iterator(typename Items::iterator at) : at_(at) {}
    Element operator*() const { return Element(*at_); }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const iterator&) const = default;

   private:
    typename Items::iterator at_;
  };

  List() : items_(std::make_shared<Items>()) {}
  List(std::initializer_list<T> values) : List(ArrayRef<T>(values.begin(), values.size())) {}
  explicit List(ArrayRef<T> values) : List() {
    for (const T& value : values) push_back(value);
  }
  explicit List(const std::vector<T>& values) : List() {
    for (const auto& value : values) push_back(value);
  }
  /// The list in a value, shared.
  explicit List(const IValue& value) requires(!std::is_same_v<T, IValue>) : items_(value.items()) {}

  std::size_t size() const { return items_->size(); }
  bool empty() const { return items_->empty(); }
  T get(std::size_t i) const { return items_->at(i).template to<T>(); }
  T extract(std::size_t i) const { return get(i); }
  Element operator[](std::size_t i) const { return Element(items_->at(i)); }
  void set(std::size_t i, const T& value) const { items_->at(i) = IValue(value); }
  void push_back(const T& value) const { items_->push_back(IValue(value)); }
  template <class... Args>
  void emplace_back(Args&&... args) const {
    push_back(T(std::forward<Args>(args)...));
  }
  void pop_back() const { items_->pop_back(); }
  void clear() const { items_->clear(); }
  void reserve(std::size_t count) const { items_->reserve(count); }
  void resize(std::size_t count) const { items_->resize(count, IValue(T())); }
  iterator begin() const { return iterator(items_->begin()); }
  iterator end() const { return iterator(items_->end()); }
  std::vector<T> vec() const {
    std::vector<T> result;
    for (const IValue& item : *items_) result.push_back(item.to<T>());
    return result;
  }
  List copy() const {
    List result;
    *result.items_ = *items_;
    return result;
  }
  bool is(const List& other) const { return items_ == other.items_; }
  bool operator==(const List& other) const { return *items_ == *other.items_; }

 private:
  friend struct IValue;
  std::shared_ptr<Items> items_;
};

}  // namespace c10
