#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <c10/util/Exception.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace c10d {

namespace {

Store::Value as_value(std::int64_t number) {
  const std::string text = std::to_string(number);
  return {text.begin(), text.end()};
}
std::int64_t as_number(const Store::Value& value) { return std::stoll(std::string(value.begin(), value.end())); }

}  // namespace

std::string Store::get_to_str(const std::string& key) {
  const Value value = get(key);
  return {value.begin(), value.end()};
}

void Store::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) {
  const auto start = std::chrono::steady_clock::now();
  while (!check(keys)) {
    const auto waited = std::chrono::steady_clock::now() - start;
    if (timeout != kNoTimeout && waited > timeout)
      throw c10::DistError(c10::str("Wait timeout: the store does not have ", keys.empty() ? "" : keys.front(),
                                    " after ", timeout.count(), " ms"));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

bool Store::deleteKey(const std::string&) { throw c10::NotImplementedError("this store cannot delete keys"); }
std::int64_t Store::getNumKeys() { throw c10::NotImplementedError("this store does not count its keys"); }

bool PrefixStore::check(const std::vector<std::string>& keys) {
  std::vector<std::string> all;
  for (const std::string& key : keys) all.push_back(prefixed(key));
  return store_->check(all);
}

// --- HashStore ---

void HashStore::set(const std::string& key, const Value& value) {
  const std::lock_guard lock(mutex_);
  values_[key] = value;
}
HashStore::Value HashStore::get(const std::string& key) {
  wait({key}, timeout_);
  const std::lock_guard lock(mutex_);
  return values_.at(key);
}
std::int64_t HashStore::add(const std::string& key, std::int64_t value) {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find(key);
  const std::int64_t sum = value + (found == values_.end() ? 0 : as_number(found->second));
  values_[key] = as_value(sum);
  return sum;
}
bool HashStore::check(const std::vector<std::string>& keys) {
  const std::lock_guard lock(mutex_);
  for (const std::string& key : keys)
    if (!values_.contains(key)) return false;
  return true;
}
bool HashStore::deleteKey(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return values_.erase(key) > 0;
}
std::int64_t HashStore::getNumKeys() {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(values_.size());
}

// --- FileStore ---

/// The file, open and locked: a log of entries `size of key, size of value, key, value`, of which the last one of a key
/// counts.
class FileStore::File {
 public:
  explicit File(const std::string& path) : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX) != 0) {
      const std::string reason = std::strerror(errno);
      close();
      throw c10::DistError(c10::str("FileStore: ", path, ": ", reason));
    }
  }
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::map<std::string, Value> read() const {
    const auto size = static_cast<std::size_t>(::lseek(descriptor_, 0, SEEK_END));
    std::string log(size, '\0');
    std::size_t at = 0;
    while (at < size) {
      const ssize_t count = ::pread(descriptor_, log.data() + at, size - at, static_cast<off_t>(at));
      TORCH_CHECK(count > 0, "FileStore: the file cannot be read: ", std::strerror(errno));
      at += static_cast<std::size_t>(count);
    }
    std::map<std::string, Value> values;
    for (at = 0; at + sizeof(Sizes) <= size;) {
      Sizes sizes;
      std::memcpy(&sizes, log.data() + at, sizeof(sizes));
      at += sizeof(sizes);
      TORCH_CHECK(sizes.key + sizes.value <= size - at, "FileStore: the file is not a store's");
      values[log.substr(at, sizes.key)] =
          Value(log.begin() + static_cast<std::ptrdiff_t>(at + sizes.key),
                log.begin() + static_cast<std::ptrdiff_t>(at + sizes.key + sizes.value));
      at += sizes.key + sizes.value;
    }
    return values;
  }

  void append(const std::string& key, const Value& value) const {
    const Sizes sizes{key.size(), value.size()};
    std::string entry(reinterpret_cast<const char*>(&sizes), sizeof(sizes));
    entry.append(key).append(value.begin(), value.end());
    ::lseek(descriptor_, 0, SEEK_END);
    for (std::size_t at = 0; at < entry.size();) {
      const ssize_t count = ::write(descriptor_, entry.data() + at, entry.size() - at);
      TORCH_CHECK(count > 0, "FileStore: the file cannot be written: ", std::strerror(errno));
      at += static_cast<std::size_t>(count);
    }
  }

 private:
  struct Sizes {
    std::size_t key, value;
  };
  void close() const {
    if (descriptor_ >= 0) ::close(descriptor_);  // unlocks
  }
  int descriptor_;
};

FileStore::FileStore(std::string path, int) : path_(std::move(path)) {}

void FileStore::set(const std::string& key, const Value& value) { File(path_).append(key, value); }
FileStore::Value FileStore::get(const std::string& key) {
  wait({key}, timeout_);
  return File(path_).read().at(key);
}
std::int64_t FileStore::add(const std::string& key, std::int64_t value) {
  const File file(path_);
  const auto values = file.read();
  const auto found = values.find(key);
  const std::int64_t sum = value + (found == values.end() ? 0 : as_number(found->second));
  file.append(key, as_value(sum));
  return sum;
}
bool FileStore::check(const std::vector<std::string>& keys) {
  const auto values = File(path_).read();
  for (const std::string& key : keys)
    if (!values.contains(key)) return false;
  return true;
}
std::int64_t FileStore::getNumKeys() { return static_cast<std::int64_t>(File(path_).read().size()); }

}  // namespace c10d
