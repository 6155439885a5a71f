#pragma once

#include <minima/io/state.h>
#include <minima/io/states/portions.h>
#include <minima/io/tensors/safetensors_header.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// A rank's file of a state: a safetensors file that other programs can read. An entry is a tensor, or the part of one
// that the rank has written: whole rows with the tensor's trailing dimensions where the part consists of rows, else
// one-dimensional. The metadata have the rank's own texts, checksums (safetensors_checksums.h) and `minima.state`,
// JSON:
//
//     {"format": 1, "id": "…", "step": 100, "rank": 1, "ranks": 4,
//      "parts": {"ENTRY": {"tensor": "NAME", "shape": [4096, 512], "offset": 524288}}}
//
// `id` is drawn for each save. Entries that are not in `parts` are whole tensors.

namespace minima::detail {

inline constexpr const char* state_key = "minima.state";

/// Which save a file belongs to.
struct SaveIdentity {
  std::string id;  ///< 16 hexadecimal digits
  std::int64_t step = 0;
  int rank = 0;
  int ranks = 1;
};

/// `rank-00001-of-00004.safetensors`
std::string rank_file_name(int rank, int ranks);

/// The file that a rank is to write, without its data.
class RankFile {
 public:
  RankFile(std::vector<Portion> portions, const State& own);

  const std::vector<Portion>& portions() const { return portions_; }
  /// The size of all data.
  std::size_t data_bytes() const { return data_bytes_; }
  /// The offset in the data of a portion.
  std::size_t position(std::size_t portion) const { return positions_[portion]; }
  /// The portions in the order of their data.
  const std::vector<std::size_t>& order() const { return order_; }
  /// Lets go of the tensors, once their data are copied.
  void release_tensors();
  /// Everything before the data, with checksums to be filled in.
  std::string start(const SaveIdentity& identity) const;

 private:
  SafetensorsLayout layout(const SaveIdentity& identity) const;

  std::vector<Portion> portions_;
  State own_;  ///< texts
  std::vector<SafetensorsHeader::TensorInfo> entries_;
  std::vector<std::size_t> positions_, order_;
  std::size_t data_bytes_ = 0;
};

/// Holds what a file says of itself.
struct MINIMA_API RankFileNotes {
  SaveIdentity identity;
  struct Part {
    std::string entry;
    std::string tensor;
    Shape shape;
    std::int64_t offset = 0;
  };
  std::vector<Part> parts;
};
/// Reads `minima.state`. Throws FormatError starting with `source`.
MINIMA_API RankFileNotes read_notes(const std::string& text, const std::string& source);

}  // namespace minima::detail
