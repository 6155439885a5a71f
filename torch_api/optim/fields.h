#pragma once

#include <ATen/core/ivalue.h>
#include <torch/optim/serialize.h>
#include <torch/serialize.h>

#include <deque>
#include <optional>
#include <tuple>

// The fields of options and of parameters' states, listed once for each class in a function
//
//   template <Either<AdamOptions> Fields, class V>
//   void visit_fields(Fields& f, const V& v) { v("lr", f.lr()), v("betas", f.betas()); }
//   MINIMA_TORCH_DEFINE_OPTIONS(AdamOptions)
//
// from which equality, saving and loading follow. Names are those of LibTorch's archives.

namespace torch::optim::detail {

/// Class, or const Class.
template <class T, class Class>
concept Either = std::is_same_v<std::remove_const_t<T>, Class>;

bool same(const Tensor& a, const Tensor& b);
template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}
template <class List>
bool same_lists(const List& a, const List& b) {
  bool are_same = a.size() == b.size();
  for (size_t i = 0; are_same && i < a.size(); ++i) are_same = same(a[i], b[i]);
  return are_same;
}
inline bool same(const std::deque<Tensor>& a, const std::deque<Tensor>& b) { return same_lists(a, b); }
inline bool same(const std::optional<std::vector<Tensor>>& a, const std::optional<std::vector<Tensor>>& b) {
  return a && b ? same_lists(*a, *b) : a.has_value() == b.has_value();
}

// Undefined tensors are left out; an option without a value is None.
void write(serialize::OutputArchive& archive, const char* name, const Tensor& value);
void write(serialize::OutputArchive& archive, const char* name, const std::deque<Tensor>& value);
void write(serialize::OutputArchive& archive, const char* name, const std::optional<std::vector<Tensor>>& value);
template <class T>
void write(serialize::OutputArchive& archive, const char* name, const std::optional<T>& value) {
  archive.write(name, value ? IValue(*value) : IValue());
}
template <class T>
void write(serialize::OutputArchive& archive, const char* name, const T& value) {
  archive.write(name, IValue(value));
}

void read(serialize::InputArchive& archive, const char* name, double& value);
void read(serialize::InputArchive& archive, const char* name, int64_t& value);
void read(serialize::InputArchive& archive, const char* name, bool& value);
void read(serialize::InputArchive& archive, const char* name, std::tuple<double, double>& value);
void read(serialize::InputArchive& archive, const char* name, std::optional<int64_t>& value);
void read(serialize::InputArchive& archive, const char* name, std::optional<std::string>& value);
void read(serialize::InputArchive& archive, const char* name, Tensor& value);
void read(serialize::InputArchive& archive, const char* name, std::deque<Tensor>& value);
void read(serialize::InputArchive& archive, const char* name, std::optional<std::vector<Tensor>>& value);

template <class Class>
bool equal_fields(const Class& a, const Class& b) {
  std::vector<const void*> others;
  visit_fields(b, [&](const char*, const auto& value) { others.push_back(&value); });
  bool are_same = true;
  size_t next = 0;
  visit_fields(a, [&]<class T>(const char*, const T& value) {
    are_same = are_same && same(value, *static_cast<const T*>(others[next]));
    ++next;
  });
  return are_same;
}

/// True if the archive is of LibTorch before 1.5, which had neither groups nor states; warns then.
bool is_old_format(serialize::InputArchive& archive, const char* optimizer);
/// The tensors of a list in such an archive.
std::vector<Tensor> old_buffers(serialize::InputArchive& archive, const std::string& name);

/// TORCH_CHECKs that an option is in [0, ∞), or in [0, 1).
void check_not_negative(const char* what, double value);
void check_beta(int index, double value);

}  // namespace torch::optim::detail

#define MINIMA_TORCH_DEFINE_FIELDS(Class)                                                                   \
  bool operator==(const Class& a, const Class& b) { return detail::equal_fields(a, b); }                    \
  void Class::serialize(serialize::OutputArchive& archive) const {                                          \
    visit_fields(*this, [&](const char* name, const auto& value) { detail::write(archive, name, value); }); \
  }                                                                                                         \
  void Class::serialize(serialize::InputArchive& archive) {                                                 \
    visit_fields(*this, [&](const char* name, auto& value) { detail::read(archive, name, value); });        \
  }

#define MINIMA_TORCH_DEFINE_OPTIONS(Class)      \
  MINIMA_TORCH_DEFINE_FIELDS(Class)             \
  double Class::get_lr() const { return lr(); } \
  void Class::set_lr(double lr) { lr_ = lr; }

/// Defines saving, and loading from what `Optimizer::load_old(archive)` does not take.
#define MINIMA_TORCH_DEFINE_SAVE_AND_LOAD(Class, load_old)                                    \
  void Class::save(serialize::OutputArchive& archive) const { detail::save(archive, *this); } \
  void Class::load(serialize::InputArchive& archive) {                                        \
    if (detail::is_old_format(archive, #Class)) load_old(archive, *this);                     \
    else serialize<Class##ParamState, Class##Options>(archive, *this);                        \
  }
