#pragma once

#include <c10/core/Backend.h>
#include <c10/core/TensorOptions.h>

#include <ostream>
#include <string>

namespace at {

using namespace c10;

/// The result of `tensor.type()`: a backend and an element type.
class DeprecatedTypeProperties {
 public:
  DeprecatedTypeProperties(Backend backend, ScalarType type) : backend_(backend), type_(type) {}

  Backend backend() const { return backend_; }
  Layout layout() const { return layout_from_backend(backend_); }
  bool is_sparse() const { return isSparse(backend_); }
  DeviceType device_type() const { return backendToDeviceType(backend_); }
  bool is_cuda() const { return device_type() == kCUDA; }
  ScalarType scalarType() const { return type_; }
  caffe2::TypeMeta typeMeta() const { return caffe2::TypeMeta(type_); }
  TensorOptions options(std::int16_t device_index = -1) const {
    return TensorOptions(type_).device(device_type(), static_cast<DeviceIndex>(device_index)).layout(layout());
  }
  operator TensorOptions() const { return options(); }
  DeprecatedTypeProperties toBackend(Backend backend) const { return {backend, type_}; }
  DeprecatedTypeProperties toScalarType(ScalarType type) const { return {backend_, type}; }
  /// `CPUFloatType`
  std::string toString() const;
  friend bool operator==(const DeprecatedTypeProperties&, const DeprecatedTypeProperties&) = default;

 private:
  Backend backend_;
  ScalarType type_;
};
inline DeprecatedTypeProperties getDeprecatedTypeProperties(Backend backend, ScalarType type) {
  return {backend, type};
}
inline DeprecatedTypeProperties CPU(ScalarType type) { return {Backend::CPU, type}; }
inline DeprecatedTypeProperties CUDA(ScalarType type) { return {Backend::CUDA, type}; }
std::ostream& operator<<(std::ostream& out, const DeprecatedTypeProperties& type);

}  // namespace at
