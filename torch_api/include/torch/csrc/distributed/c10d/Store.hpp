#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace c10d {

/// Keys and values that all processes see; process groups find each other through one.
class Store {
 public:
  static constexpr std::chrono::milliseconds kDefaultTimeout = std::chrono::seconds(300);
  static constexpr std::chrono::milliseconds kNoTimeout{0};
  using Value = std::vector<std::uint8_t>;

  Store() = default;
  explicit Store(std::chrono::milliseconds timeout) : timeout_(timeout) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  void set(const std::string& key, const std::string& value) { set(key, Value(value.begin(), value.end())); }
  virtual void set(const std::string& key, const Value& value) = 0;
  /// Waits for the key.
  virtual Value get(const std::string& key) = 0;
  std::string get_to_str(const std::string& key);
  /// Adds to a counter, which is a decimal number, and returns the sum.
  virtual std::int64_t add(const std::string& key, std::int64_t value) = 0;
  virtual bool check(const std::vector<std::string>& keys) = 0;
  void wait(const std::vector<std::string>& keys) { wait(keys, timeout_); }
  /// Throws c10::DistError after the timeout.
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout);
  virtual bool deleteKey(const std::string& key);
  virtual std::int64_t getNumKeys();

  const std::chrono::milliseconds& getTimeout() const noexcept { return timeout_; }
  void setTimeout(const std::chrono::milliseconds& timeout) { timeout_ = timeout; }

  /// The host of the process groups' own connections.
  virtual std::string host() const { return "127.0.0.1"; }

 protected:
  std::chrono::milliseconds timeout_ = kDefaultTimeout;
};

}  // namespace c10d
