#pragma once

#include <cstddef>

namespace torch::data::samplers {

/// The base of requests that are no lists of indices.
struct CustomBatchRequest {
  CustomBatchRequest() = default;
  CustomBatchRequest(const CustomBatchRequest&) = default;
  CustomBatchRequest(CustomBatchRequest&&) noexcept = default;
  virtual ~CustomBatchRequest() = default;

  virtual size_t size() const = 0;
};

}  // namespace torch::data::samplers
