#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/complex.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace minima {

class State;

/// The content of a PyTorch file: None, numbers, strings, tensors, dtypes, and lists, tuples and dicts of these. Dicts
/// keep the order of their items, and their keys are any values.
///
///     PtValue checkpoint = PtValue::dict();
///     checkpoint.set("model", PtValue::of(net.state_dict()));
///     checkpoint.set("epoch", 3);
///     write_pt("run.pt", checkpoint);                      // torch.load("run.pt")["epoch"] is 3
///
///     std::int64_t epoch = read_pt("run.pt").at("epoch").integer();
class MINIMA_API PtValue {
 public:
  enum class Kind : std::uint8_t {
    none,
    boolean,
    integer,
    number,
    complex,
    string,
    bytes,
    dtype,
    tensor,
    list,
    tuple,
    dict
  };
  using Item = std::pair<PtValue, PtValue>;  ///< key and value

  /// None.
  PtValue() = default;
  /// A number or a boolean. Throws ValueError for an unsigned number that does not fit int64.
  template <class T>
  requires std::is_arithmetic_v<T> PtValue(T value) {
    if constexpr (std::is_same_v<T, bool>) kind_ = Kind::boolean, value_ = value;
    else if constexpr (std::is_floating_point_v<T>) kind_ = Kind::number, value_ = static_cast<double>(value);
    else {
      if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8)
        if (value >> 63) refuse_large(value);
      kind_ = Kind::integer;
      value_ = static_cast<std::int64_t>(value);
    }
  }
  PtValue(Complex<double> value) : kind_(Kind::complex), value_(value) {}
  PtValue(std::string value) : kind_(Kind::string), value_(std::move(value)) {}
  PtValue(const char* value) : PtValue(std::string(value)) {}
  PtValue(DType value) : kind_(Kind::dtype), value_(value) {}
  /// Throws ValueError for an undefined tensor.
  PtValue(const Tensor& value);
  static PtValue bytes(std::string value);
  static PtValue list(std::vector<PtValue> items = {});
  static PtValue tuple(std::vector<PtValue> items = {});
  static PtValue dict(std::vector<Item> items = {});
  /// A dict of a state's tensors and values. Values that read as an integer or a number and are written back as the
  /// same text become one; others are strings.
  static PtValue of(const State& state);
  /// The way back: tensors and values by name. Names of nested dicts and of items in lists are joined by dots, as an
  /// optimizer's "state.0.exp_avg" and "param_groups.0.lr". Booleans are 1 and 0, None is left out, and what has no
  /// name, as a tensor alone, is called "0". Throws ValueError if two would have the same name, and for keys that are
  /// neither strings nor integers.
  State state() const;

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::none; }

  // These throw a ValueError that names both kinds if the value is of another kind. `number` also accepts integers.
  // Called on a temporary (`for (auto& [key, item] : read_pt(path).entries())`), they return by value.
  bool boolean() const;
  std::int64_t integer() const;
  double number() const;
  Complex<double> complex() const;
  DType dtype() const;
  const std::string& string() const&;
  std::string string() && { return std::as_const(*this).string(); }
  const std::string& bytes() const&;
  std::string bytes() && { return std::as_const(*this).bytes(); }
  const Tensor& tensor() const&;
  Tensor tensor() && { return std::as_const(*this).tensor(); }
  /// The items of a list or a tuple.
  const std::vector<PtValue>& items() const&;
  std::vector<PtValue> items() && { return std::as_const(*this).items(); }
  /// The entries of a dict.
  const std::vector<Item>& entries() const&;
  std::vector<Item> entries() && { return std::as_const(*this).entries(); }

  /// The dict's value for a string or an integer; null if there is none.
  const PtValue* find(std::string_view key) const&;
  const PtValue* find(std::int64_t key) const&;
  /// The same; throws ValueError if there is none.
  const PtValue& at(std::string_view key) const&;
  const PtValue& at(std::int64_t key) const&;
  PtValue at(std::string_view key) && { return std::as_const(*this).at(key); }
  PtValue at(std::int64_t key) && { return std::as_const(*this).at(key); }
  /// Adds the item to a dict or replaces its value.
  void set(std::string_view key, PtValue value);
  /// Appends to a list or a tuple.
  void push_back(PtValue value);

  /// `dict`, …
  static const char* name(Kind kind);

 private:
  [[noreturn]] static void refuse_large(std::uint64_t value);
  void expect(Kind kind) const;

  Kind kind_ = Kind::none;
  std::variant<std::monostate, bool, std::int64_t, double, Complex<double>, std::string, DType, Tensor,
               std::vector<PtValue>, std::vector<Item>>
      value_;
};

}  // namespace minima
