#pragma once

#include <torch/nn/modules/container/any.h>

#include <utility>
#include <vector>

/// Lets Sequential and AnyModule call `forward` without its last arguments. Each of the macro's arguments is
/// {position, AnyValue(default)}; positions are consecutive and end with the last parameter.
#define FORWARD_HAS_DEFAULT_ARGS(...)                                                                           \
  bool _forward_has_default_args() override { return true; }                                                    \
  unsigned int _forward_num_required_args() override {                                                          \
    return std::vector<std::pair<unsigned int, torch::nn::AnyValue>>{__VA_ARGS__}.front().first;                \
  }                                                                                                             \
  std::vector<torch::nn::AnyValue> _forward_populate_default_args(std::vector<torch::nn::AnyValue>&& arguments) \
      override {                                                                                                \
    std::vector<std::pair<unsigned int, torch::nn::AnyValue>> defaults{__VA_ARGS__};                            \
    for (auto& [position, value] : defaults)                                                                    \
      if (position >= arguments.size()) arguments.push_back(std::move(value));                                  \
    return std::move(arguments);                                                                                \
  }
