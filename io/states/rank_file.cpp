#include <minima/io/states/rank_file.h>

#include <minima/io/files/format_error.h>
#include <minima/io/state.h>
#include <minima/io/states/portions.h>
#include <minima/io/tensors/safetensors_checksums.h>
#include <minima/io/tensors/safetensors_header.h>
#include <minima/io/text/json.h>
#include <minima/io/text/json_reader.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

std::string five_digits(int number) {
  std::string digits = str(number);
  digits.insert(0, 5 - std::min<std::size_t>(5, digits.size()), '0');
  return digits;
}

/// Rows of the tensor if the portion consists of such, else one dimension.
Shape shape_of_entry(const Portion& portion) {
  if (portion.is_whole()) return portion.shape;
  if (!portion.shape.empty() && portion.shape[0] > 0) {
    const std::int64_t row = numel(portion.shape) / portion.shape[0];
    if (portion.offset % row == 0 && portion.count % row == 0) {
      Shape shape = portion.shape;
      shape[0] = portion.count / row;
      return shape;
    }
  }
  return {portion.count};
}

Json json_of(const Shape& shape) { return Json::array(std::vector<Json>(shape.begin(), shape.end())); }

Shape read_shape(JsonReader& in) {
  Shape shape;
  in.begin_array();
  while (in.next_item()) {
    if (shape.rank() >= 64) in.fail("a shape of more than 64 dimensions");
    shape.push_back(in.integer());
    if (shape.back() < 0) in.fail("a negative size");
  }
  return shape;
}

RankFileNotes::Part read_part(JsonReader& in, std::string entry) {
  RankFileNotes::Part part{std::move(entry), {}, {}, -1};
  in.begin_object();
  for (std::string key; in.next_key(key);) {
    if (key == "tensor") part.tensor = in.string();
    else if (key == "shape") part.shape = read_shape(in);
    else if (key == "offset") part.offset = in.integer();
    else in.fail(str("the unknown key ", printable(key)));
  }
  if (part.tensor.empty() || part.offset < 0) in.fail("a part without tensor or offset");
  return part;
}

int read_small(JsonReader& in) {
  const std::int64_t value = in.integer();
  if (value < 0 || value > 1'000'000) in.fail(str("the number ", value, " of a rank"));
  return static_cast<int>(value);
}

}  // namespace

std::string rank_file_name(int rank, int ranks) {
  return str("rank-", five_digits(rank), "-of-", five_digits(ranks), ".safetensors");
}

RankFile::RankFile(std::vector<Portion> portions, const State& own) : portions_(std::move(portions)) {
  for (const auto& [name, text] : own.texts()) own_.set_text(name, text);
  for (const char* const reserved : {state_key, checksum_key})
    if (own_.find_text(reserved)) throw ValueError(str("saving a state: no value may be called ", reserved));
  std::set<std::string> names;
  for (const Portion& portion : portions_) {
    std::string name = portion.name;
    if (!names.insert(name).second) name += str("@", portion.offset);  // another part of the same tensor
    if (name != portion.name && !names.insert(name).second)
      throw ValueError(
          str("saving a state: two pieces of ", printable(portion.name), " from element ", portion.offset));
    entries_.push_back({.name = name, .dtype = portion.dtype, .shape = shape_of_entry(portion)});
    data_bytes_ += portion.bytes();
  }
  SafetensorsLayout made = layout({.id = std::string(16, '0')});
  order_ = std::move(made.order);
  positions_ = std::move(made.begins);
  for (std::size_t& position : positions_) position -= made.start.size();
}

void RankFile::release_tensors() {
  for (Portion& portion : portions_) portion.source = {};
}

std::string RankFile::start(const SaveIdentity& identity) const { return layout(identity).start; }

SafetensorsLayout RankFile::layout(const SaveIdentity& identity) const {
  Json parts = Json::object();
  for (std::size_t i = 0; i < portions_.size(); ++i) {
    const Portion& portion = portions_[i];
    if (portion.is_whole() && entries_[i].name == portion.name) continue;
    parts.set(entries_[i].name,
              Json::object({{"tensor", portion.name}, {"shape", json_of(portion.shape)}, {"offset", portion.offset}}));
  }
  const Json notes = Json::object({{"format", 1},
                                   {"id", identity.id},
                                   {"step", identity.step},
                                   {"rank", identity.rank},
                                   {"ranks", identity.ranks},
                                   {"parts", std::move(parts)}});
  std::vector<SafetensorsHeader::Text> metadata{{state_key, notes.text()}};
  for (const auto& [name, text] : own_.texts()) metadata.push_back({name, text});
  metadata.push_back({checksum_key, checksum_placeholder(entries_.size())});
  return lay_out_safetensors(entries_, metadata);
}

RankFileNotes read_notes(const std::string& text, const std::string& source) {
  JsonReader in(text, str(source, ": ", state_key));
  RankFileNotes notes;
  std::int64_t format = 0;
  in.begin_object();
  for (std::string key; in.next_key(key);) {
    if (key == "format") {
      format = in.integer();
      if (format != 1) in.fail(str("format ", format, ", written by a later version of minima"));
    } else if (key == "id") {
      notes.identity.id = in.string();
    } else if (key == "step") {
      notes.identity.step = in.integer();
    } else if (key == "rank") {
      notes.identity.rank = read_small(in);
    } else if (key == "ranks") {
      notes.identity.ranks = read_small(in);
    } else if (key == "parts") {
      in.begin_object();
      for (std::string entry; in.next_key(entry);) notes.parts.push_back(read_part(in, entry));
    } else {
      in.fail(str("the unknown key ", printable(key)));
    }
  }
  in.end();
  if (format == 0 || notes.identity.id.empty()) throw_format_error(source, 0, str(state_key, " has no format or id"));
  return notes;
}

}  // namespace minima::detail
