#pragma once

#include <minima/tensor/tensor.h>

#include <c10/core/DefaultDtype.h>
#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>

#include <optional>

namespace c10 {

/// How a new tensor is made. What was not set follows from the function and its other arguments.
struct TensorOptions {
  TensorOptions() = default;
  TensorOptions(Layout layout) : layout_(layout) {}
  template <class T>
  requires(std::is_same_v<std::decay_t<T>, Device> || std::is_same_v<std::decay_t<T>, DeviceType> ||
           std::is_convertible_v<T, std::string>)
  TensorOptions(T&& device) : device_(Device(std::forward<T>(device))) {}
  template <class Index>
  requires std::is_integral_v<Index>
  TensorOptions(DeviceType type, Index index) : device_(Device(type, static_cast<DeviceIndex>(index))) {}
  TensorOptions(caffe2::TypeMeta dtype) : dtype_(dtype) {}
  TensorOptions(ScalarType dtype) : dtype_(dtype) {}
  TensorOptions(MemoryFormat format) { set_memory_format(format); }

  // --- copies with one setting changed ---
  [[nodiscard]] TensorOptions device(std::optional<Device> device) const {
    return with(&TensorOptions::device_, device);
  }
  template <class... Args>
  [[nodiscard]] TensorOptions device(Args&&... args) const {
    return device(std::optional<Device>(std::in_place, std::forward<Args>(args)...));
  }
  [[nodiscard]] TensorOptions device_index(DeviceIndex index) const { return device(Device(kCUDA, index)); }
  [[nodiscard]] TensorOptions dtype(std::optional<caffe2::TypeMeta> type) const {
    return with(&TensorOptions::dtype_, type);
  }
  [[nodiscard]] TensorOptions dtype(std::optional<ScalarType> type) const {
    return dtype(type ? std::optional(caffe2::TypeMeta(*type)) : std::nullopt);
  }
  [[nodiscard]] TensorOptions dtype(ScalarType type) const { return dtype(std::optional(caffe2::TypeMeta(type))); }
  [[nodiscard]] TensorOptions dtype(caffe2::TypeMeta type) const { return dtype(std::optional(type)); }
  template <class T>
  TensorOptions& dtype() {
    dtype_ = caffe2::TypeMeta::Make<T>();
    return *this;
  }
  [[nodiscard]] TensorOptions layout(std::optional<Layout> layout) const {
    return with(&TensorOptions::layout_, layout);
  }
  [[nodiscard]] TensorOptions requires_grad(std::optional<bool> on) const {
    return with(&TensorOptions::requires_grad_, on);
  }
  [[nodiscard]] TensorOptions pinned_memory(std::optional<bool> on) const {
    return with(&TensorOptions::pinned_memory_, on);
  }
  [[nodiscard]] TensorOptions memory_format(std::optional<MemoryFormat> format) const {
    return with(&TensorOptions::memory_format_, format);
  }

  // --- the settings, or what they default to ---
  Device device() const { return device_.value_or(Device(kCPU)); }
  bool has_device() const { return device_.has_value(); }
  std::optional<Device> device_opt() const { return device_; }
  std::int32_t device_index() const { return device().index(); }
  caffe2::TypeMeta dtype() const { return dtype_ ? *dtype_ : get_default_dtype(); }
  bool has_dtype() const { return dtype_.has_value(); }
  std::optional<caffe2::TypeMeta> dtype_opt() const { return dtype_; }
  std::optional<ScalarType> scalar_type_opt() const { return optTypeMetaToScalarType(dtype_); }
  Layout layout() const { return layout_.value_or(kStrided); }
  bool has_layout() const { return layout_.has_value(); }
  std::optional<Layout> layout_opt() const { return layout_; }
  bool requires_grad() const { return requires_grad_.value_or(false); }
  bool has_requires_grad() const { return requires_grad_.has_value(); }
  std::optional<bool> requires_grad_opt() const { return requires_grad_; }
  bool pinned_memory() const { return pinned_memory_.value_or(false); }
  bool has_pinned_memory() const { return pinned_memory_.has_value(); }
  std::optional<bool> pinned_memory_opt() const { return pinned_memory_; }
  bool has_memory_format() const { return memory_format_.has_value(); }
  std::optional<MemoryFormat> memory_format_opt() const { return memory_format_; }
  bool is_sparse() const { return layout_ == kSparse; }

  bool type_equal(const TensorOptions& other) const {
    return device().type() == other.device().type() && dtype() == other.dtype() && layout() == other.layout();
  }
  /// These settings, overridden by those that `other` has.
  [[nodiscard]] TensorOptions merge_in(TensorOptions other) const;
  [[nodiscard]] TensorOptions merge_memory_format(std::optional<MemoryFormat> format) const {
    return format ? memory_format(format) : *this;
  }

  /// dtype and device for minima; unset ones stay unset. Throws for what minima does not have.
  minima::InferredOptions native() const;

 private:
  template <class T>
  TensorOptions with(std::optional<T> TensorOptions::* setting, std::optional<T> value) const {
    TensorOptions copy = *this;
    copy.*setting = value;
    return copy;
  }
  void set_memory_format(MemoryFormat format) { memory_format_ = format; }

  std::optional<Device> device_;
  std::optional<caffe2::TypeMeta> dtype_;
  std::optional<Layout> layout_;
  std::optional<bool> requires_grad_, pinned_memory_;
  std::optional<MemoryFormat> memory_format_;
};

std::ostream& operator<<(std::ostream& out, const TensorOptions& options);
std::string toString(const TensorOptions& options);

inline TensorOptions dtype(caffe2::TypeMeta type) { return TensorOptions(type); }
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
template <class T>
TensorOptions dtype() {
  return TensorOptions(caffe2::TypeMeta::Make<T>());
}
inline TensorOptions layout(Layout layout) { return TensorOptions(layout); }
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions device_index(std::int16_t index) {
  return TensorOptions().device_index(static_cast<DeviceIndex>(index));
}
inline TensorOptions requires_grad(bool on = true) { return TensorOptions().requires_grad(on); }
inline TensorOptions memory_format(MemoryFormat format) { return TensorOptions(format); }

}  // namespace c10
