#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace c10d {

/// Another store, with a prefix before all keys.
class PrefixStore : public Store {
 public:
  PrefixStore(std::string prefix, c10::intrusive_ptr<Store> store)
      : Store(store->getTimeout()), prefix_(std::move(prefix)), store_(std::move(store)) {}

  using Store::set;
  void set(const std::string& key, const Value& value) override { store_->set(prefixed(key), value); }
  Value get(const std::string& key) override { return store_->get(prefixed(key)); }
  std::int64_t add(const std::string& key, std::int64_t value) override { return store_->add(prefixed(key), value); }
  bool check(const std::vector<std::string>& keys) override;
  bool deleteKey(const std::string& key) override { return store_->deleteKey(prefixed(key)); }
  std::int64_t getNumKeys() override { return store_->getNumKeys(); }
  std::string host() const override { return store_->host(); }
  c10::intrusive_ptr<Store> getUnderlyingStore() { return store_; }

 private:
  std::string prefixed(const std::string& key) const { return prefix_ + "/" + key; }

  std::string prefix_;
  c10::intrusive_ptr<Store> store_;
};

}  // namespace c10d
