#pragma once

#include <minima/onnx/export/emitter.h>

#include <string>

namespace minima::onnx::detail {

/// a + b and a · b, of one dtype.
std::string sum(Emitter& e, const std::string& a, const std::string& b);
std::string product(Emitter& e, const std::string& a, const std::string& b);

/// x·weightᵀ + bias, x of any rank: weight is input i, and bias the one after it.
std::string linear(Emitter& e, const std::string& x, int rank, std::size_t i);

/// x through "none", "relu", "gelu" or "gelu_tanh".
std::string activated(Emitter& e, const std::string& x, const std::string& activation);

}  // namespace minima::onnx::detail
