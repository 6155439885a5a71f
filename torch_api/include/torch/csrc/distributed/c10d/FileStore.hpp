#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <map>

namespace c10d {

/// For processes that share a file system. The file, which need not exist, is a log of all changes; it is not removed,
/// and each job needs a file of its own. Process groups over it run on one host.
class FileStore : public Store {
 public:
  explicit FileStore(std::string path, int num_workers = -1);

  using Store::set;
  void set(const std::string& key, const Value& value) override;
  Value get(const std::string& key) override;
  std::int64_t add(const std::string& key, std::int64_t value) override;
  bool check(const std::vector<std::string>& keys) override;
  std::int64_t getNumKeys() override;

  const std::string& getPath() const noexcept { return path_; }

 private:
  class File;
  std::string path_;
};

}  // namespace c10d
