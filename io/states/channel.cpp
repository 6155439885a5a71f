#include <minima/io/states/channel.h>

#include <minima/io/states/board.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

constexpr int slots = 4;  ///< rank 0 may announce once more before a rank has read the last text, never twice

std::string numbered(std::int64_t number, const std::string& text) { return str(number, " ", text); }

/// The text, if it has this number.
std::optional<std::string> text_with(std::int64_t number, const std::optional<std::string>& message) {
  if (!message) return std::nullopt;
  const std::string start = numbered(number, "");
  if (!message->starts_with(start)) return std::nullopt;
  return message->substr(start.size());
}

}  // namespace

Channel::Channel(Ref<Board> board, const std::string& name, double timeout)
    : board_(std::move(board)), timeout_(timeout) {
  // Each rank counts the channels that it has made, so that a later one does not find the texts of an earlier.
  const std::string key = str(name, "/made/", rank());
  std::int64_t made = 0;
  if (const std::optional<std::string> text = board_->get(key))
    std::from_chars(text->data(), text->data() + text->size(), made);
  board_->set(key, str(made + 1));
  prefix_ = str(name, "/", made, "/");
}

std::string Channel::announce(const std::string& text) {
  const std::int64_t number = ++announced_;
  if (size() == 1) return text;
  const std::string key = str(prefix_, "word/", number % slots);
  if (rank() != 0) return wait(key, number, 0);
  board_->set(key, numbered(number, text));
  return text;
}

std::vector<std::string> Channel::collect(const std::string& text) {
  const std::int64_t number = ++collected_;
  if (size() == 1) return {text};
  const auto key = [&](int rank) { return str(prefix_, "report/", rank, "/", number % slots); };
  if (rank() != 0) {
    board_->set(key(rank()), numbered(number, text));
    return {};
  }
  std::vector<std::string> texts{text};
  for (int r = 1; r < size(); ++r) texts.push_back(wait(key(r), number, r));
  return texts;
}

std::string Channel::wait(const std::string& key, std::int64_t number, int rank) {
  const auto start = std::chrono::steady_clock::now();
  for (int pause = 1;; pause = std::min(2 * pause, 20)) {
    if (std::optional<std::string> text = text_with(number, board_->get(key))) return *std::move(text);
    if (const std::string failure = board_->failure(); !failure.empty()) throw Error(failure);
    if (is_abandoned_.load()) throw Error(str("the save was abandoned while it waited for rank ", rank));
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > timeout_)
      throw Error(str("rank ", rank, " has not answered within ", timeout_, " s"));
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
  }
}

}  // namespace minima::detail
