#include <minima/io/states/board.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <minima/tensor/base/counted.h>

namespace minima::detail {

namespace {

struct SharedTexts {
  std::mutex mutex;
  std::map<std::string, std::string> texts;
};

class InMemoryBoard final : public Board {
 public:
  InMemoryBoard(std::shared_ptr<SharedTexts> shared, int rank, int size)
      : shared_(std::move(shared)), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void set(const std::string& key, const std::string& text) override {
    const std::lock_guard guard(shared_->mutex);
    shared_->texts[key] = text;
  }
  std::optional<std::string> get(const std::string& key) override {
    const std::lock_guard guard(shared_->mutex);
    const auto found = shared_->texts.find(key);
    if (found == shared_->texts.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::shared_ptr<SharedTexts> shared_;
  int rank_, size_;
};

}  // namespace

std::vector<Ref<Board>> in_memory_boards(int size) {
  const auto shared = std::make_shared<SharedTexts>();
  std::vector<Ref<Board>> boards;
  for (int rank = 0; rank < size; ++rank) boards.push_back(Ref<Board>(new InMemoryBoard(shared, rank, size)));
  return boards;
}

}  // namespace minima::detail
