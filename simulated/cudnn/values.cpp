#include "simulated/cudnn/values.h"

#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>

#include <type_traits>

namespace simulated {

namespace {

/// Calls visit(index in row-major order, offset by the strides).
template <class Visit> void visit_elements(const GraphTensor& t, const Visit& visit) {
  std::size_t index = 0;
  for (std::int64_t a = 0; a < t.shape[0]; ++a)
    for (std::int64_t b = 0; b < t.shape[1]; ++b)
      for (std::int64_t c = 0; c < t.shape[2]; ++c)
        for (std::int64_t d = 0; d < t.shape[3]; ++d)
          visit(index++, a * t.strides[0] + b * t.strides[1] + c * t.strides[2] + d * t.strides[3]);
}

}  // namespace

Values::Values(const GraphTensor& like)
    : shape(like.shape), data(static_cast<std::size_t>(shape[0] * shape[1] * shape[2] * shape[3])) {}

Values read(const GraphTensor& tensor, const void* address) {
  Values values(tensor);
  minima::dispatch<minima::floating>(tensor.dtype, "cuDNN", [&]<class T> {
    visit_elements(tensor, [&](std::size_t index, std::int64_t offset) {
      values.data[index] = static_cast<double>(static_cast<const T*>(address)[offset]);
    });
  });
  return values;
}

void write(const Values& values, const GraphTensor& tensor, void* address) {
  minima::dispatch<minima::floating>(tensor.dtype, "cuDNN", [&]<class T> {
    visit_elements(tensor, [&](std::size_t index, std::int64_t offset) {
      using Step = std::conditional_t<std::is_same_v<T, double>, double, float>;  // half types round a float
      static_cast<T*>(address)[offset] = static_cast<T>(static_cast<Step>(values.data[index]));
    });
  });
}

Access extent(const GraphTensor& tensor, const void* address) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < 4; ++d) last += (tensor.shape[d] - 1) * tensor.strides[d];
  return {static_cast<const char*>(address), static_cast<std::size_t>(last + 1) * minima::size_of(tensor.dtype)};
}

}  // namespace simulated
