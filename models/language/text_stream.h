#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace minima::models {

/// The text of a row as its tokens arrive. It hands out what is settled: no half of a UTF-8 character, and nothing that
/// may be the beginning of a stop string, which ends the text and does not belong to it.
///   models::TextStream stream({"\nUser:"});
///   for (bytes of each token) std::cout << stream.add(bytes);
///   std::cout << stream.finish();
class MINIMA_API TextStream {
 public:
  /// Throws ValueError for an empty stop string.
  explicit TextStream(std::vector<std::string> stop = {});

  /// Adds the bytes of a token and returns the text that they settle. After a stop string it ignores what comes.
  std::string add(std::string_view bytes);
  /// The rest at the end of generation: a stop string that did not come, a character that is not complete.
  std::string finish();
  /// Whether a stop string came.
  bool has_stopped() const { return has_stopped_; }

 private:
  std::size_t held_back() const;

  std::vector<std::string> stop_;
  std::string pending_;
  bool has_stopped_ = false;
};

}  // namespace minima::models
