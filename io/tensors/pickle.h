#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Reads Python's pickles as data. A pickle is a program for a stack machine whose instructions build values, name
// classes and functions, and call them. Here a call is an object like any other, with the function's name and its
// arguments: nothing is looked up, imported or run, and the reader's caller decides which names it understands.

namespace minima::detail {

/// A value or a reference to an object. Texts and bytes are views of the pickle.
struct Pickled {
  enum class Kind : std::uint8_t {
    none,
    boolean,
    integer,
    large_integer,  ///< of more than 64 bits: little-endian two's complement
    number,
    text,
    bytes,
    name,    ///< of a class or function: an index into `names`
    object,  ///< an index into `objects`
  };
  Kind kind = Kind::none;
  std::uint32_t length = 0;  ///< of text, bytes and large integers
  union {
    std::int64_t integer = 0;  ///< also boolean
    double number;
    std::uint64_t at;  ///< offset of text, bytes and large integers
    std::size_t index;
  };
};

/// Objects may refer to each other in circles, and one may stand in many places.
struct PickledObject {
  enum class Kind : std::uint8_t { list, tuple, set, dict, call, persistent };
  Kind kind = Kind::list;
  bool has_state = false;
  std::uint32_t at = 0;          ///< offset of the instruction that made it
  Pickled callee{};              ///< of a call
  Pickled arguments{};           ///< of a call: a tuple; of a persistent object its identification
  Pickled state{};               ///< of a call: what it was given afterwards, its attributes as a rule
  std::vector<Pickled> items{};  ///< a dict's keys and values in turn; also what was put into the result of a call
};

struct PickledName {
  std::string_view module, name;
  std::uint32_t at = 0;
};

struct Pickle {
  std::string_view bytes;
  std::string source;      ///< for messages
  std::uint64_t base = 0;  ///< offset of the bytes in the source
  Pickled root;
  std::vector<PickledObject> objects;
  std::vector<PickledName> names;
  std::size_t size = 0;  ///< bytes up to the end of the pickle

  std::string_view text(const Pickled& value) const { return bytes.substr(value.at, value.length); }
  const PickledObject& object(const Pickled& value) const { return objects[value.index]; }
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const;
};

/// The longest pickle that is read: names and sizes of some 100,000 tensors. Its values may take 150 times its size.
inline constexpr std::size_t max_pickle_bytes = std::size_t{32} << 20;

/// Reads one pickle of protocol 2 to 5 from the start of `bytes`, which must outlive the result. Throws FormatError for
/// an instruction that torch.save does not use, anything truncated, and a text that is not UTF-8.
MINIMA_API Pickle read_pickle(std::string_view bytes, const std::string& source, std::uint64_t base = 0);

}  // namespace minima::detail
