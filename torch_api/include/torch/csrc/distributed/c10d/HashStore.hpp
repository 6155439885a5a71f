#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <map>
#include <mutex>

namespace c10d {

/// For threads of one process.
class HashStore : public Store {
 public:
  using Store::set;
  void set(const std::string& key, const Value& value) override;
  Value get(const std::string& key) override;
  std::int64_t add(const std::string& key, std::int64_t value) override;
  bool check(const std::vector<std::string>& keys) override;
  bool deleteKey(const std::string& key) override;
  std::int64_t getNumKeys() override;

 private:
  std::mutex mutex_;
  std::map<std::string, Value> values_;
};

}  // namespace c10d
