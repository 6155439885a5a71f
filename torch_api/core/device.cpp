#include <minima/tensor/print.h>

#include <c10/core/Backend.h>
#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/TensorOptions.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cctype>

namespace c10 {

namespace {

constexpr const char* type_names[] = {"CPU",  "CUDA", "MKLDNN", "OPENGL", "OPENCL", "IDEEP", "HIP",
                                      "FPGA", "MAIA", "XLA",    "VULKAN", "METAL",  "XPU",   "MPS",
                                      "META", "HPU",  "VE",     "LAZY",   "IPU",    "MTIA",  "PRIVATEUSEONE"};
constexpr int type_count = static_cast<int>(DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);

bool is_decimal(std::string_view text) {
  return !text.empty() && text.size() < 4 &&
         std::all_of(
             text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }) &&
         (text.size() == 1 || text[0] != '0');
}

}  // namespace

std::string DeviceTypeName(DeviceType type, bool lower_case) {
  const int number = static_cast<int>(type);
  TORCH_CHECK(number >= 0 && number < type_count, "Unknown device: ", number);
  std::string name = type_names[number];
  if (lower_case)
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}
std::ostream& operator<<(std::ostream& out, DeviceType type) { return out << DeviceTypeName(type, true); }

Device::Device(DeviceType type, DeviceIndex index) : type_(type), index_(index) {
  TORCH_CHECK(index >= -1, "Device index must be -1 or non-negative, got ", static_cast<int>(index));
  TORCH_CHECK(!is_cpu() || index <= 0, "CPU device index must be -1 or zero, got ", static_cast<int>(index));
}

Device::Device(const std::string& text) : type_(DeviceType::CPU), index_(-1) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  int number = 0;
  while (number < type_count && DeviceTypeName(static_cast<DeviceType>(number), true) != name) ++number;
  const std::string index = colon == std::string::npos ? "" : text.substr(colon + 1);
  TORCH_CHECK(!text.empty(), "Device string must not be empty");
  TORCH_CHECK(number < type_count && (colon == std::string::npos || is_decimal(index)), "Invalid device string: '",
              text, "'");
  *this = Device(static_cast<DeviceType>(number),
                 index.empty() ? DeviceIndex{-1} : static_cast<DeviceIndex>(std::stoi(index)));
}

std::string Device::str() const {
  std::string text = DeviceTypeName(type_, true);
  return has_index() ? text + ":" + std::to_string(index_) : text;
}
std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.str(); }

minima::Device native(Device device) {
  if (device.is_cpu()) return minima::Device::cpu();
  if (device.is_cuda()) return minima::Device::cuda(device.has_index() ? device.index() : cuda::current_device());
  throw minima::DeviceError(str("minima has no device ", device, ", only cpu and cuda"));
}
Device from_native(minima::Device device) {
  return device.is_cpu() ? Device(kCPU) : Device(kCUDA, static_cast<DeviceIndex>(device.index));
}

const char* toString(Backend b) {
  constexpr const char* names[] = {"CPU", "CUDA", "SparseCPU", "SparseCUDA", "UndefinedBackend"};
  return names[static_cast<int>(b)];
}

std::ostream& operator<<(std::ostream& out, Layout layout) {
  constexpr const char* names[] = {"Strided",   "Sparse",    "SparseCsr", "Mkldnn",
                                   "SparseCsc", "SparseBsr", "SparseBsc", "Jagged"};
  return out << names[static_cast<int>(layout)];
}

std::ostream& operator<<(std::ostream& out, MemoryFormat format) {
  constexpr const char* names[] = {"Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
  return out << names[static_cast<int>(format)];
}
namespace {
std::vector<std::int64_t> channels_last_strides(IntArrayRef sizes) {
  const minima::Layout layout = minima::Layout::channels_last(sizes);
  return {layout.strides.begin(), layout.strides.end()};
}
}  // namespace
std::vector<std::int64_t> get_channels_last_strides_2d(IntArrayRef sizes) { return channels_last_strides(sizes); }
std::vector<std::int64_t> get_channels_last_strides_3d(IntArrayRef sizes) { return channels_last_strides(sizes); }

TensorOptions TensorOptions::merge_in(TensorOptions other) const {
  TensorOptions merged = *this;
  if (other.device_) merged.device_ = other.device_;
  if (other.dtype_) merged.dtype_ = other.dtype_;
  if (other.layout_) merged.layout_ = other.layout_;
  if (other.requires_grad_) merged.requires_grad_ = other.requires_grad_;
  if (other.pinned_memory_) merged.pinned_memory_ = other.pinned_memory_;
  if (other.memory_format_) merged.memory_format_ = other.memory_format_;
  return merged;
}

minima::InferredOptions TensorOptions::native() const {
  TORCH_CHECK(layout() == kStrided, "minima has no ", layout(), " tensors, only strided ones");
  minima::InferredOptions options;
  if (dtype_) options.dtype = c10::native(dtype_->toScalarType());
  if (device_) options.device = c10::native(*device_);
  return options;
}

std::ostream& operator<<(std::ostream& out, const TensorOptions& options) {
  const auto setting = [&](const char* name, auto value, bool has, const char* end) -> std::ostream& {
    out << name << "=" << std::boolalpha << value << std::noboolalpha << (has ? "" : " (default)") << end;
    return out;
  };
  out << "TensorOptions(";
  setting("dtype", options.dtype(), options.has_dtype(), ", ");
  setting("device", options.device(), options.has_device(), ", ");
  setting("layout", options.layout(), options.has_layout(), ", ");
  setting("requires_grad", options.requires_grad(), options.has_requires_grad(), ", ");
  setting("pinned_memory", options.pinned_memory(), options.has_pinned_memory(), ", ");
  if (options.has_memory_format()) out << "memory_format=" << *options.memory_format_opt();
  else out << "memory_format=(nullopt)";
  return out << ")";
}
std::string toString(const TensorOptions& options) { return str(options); }

}  // namespace c10
