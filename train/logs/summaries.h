#pragma once

#include <minima/io/text/json.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <vector>

// Summary.Value messages (tensorflow/core/framework/summary.proto) as TensorBoard's plugins expect them.

namespace minima::detail {

std::string scalar_summary(const std::string& tag, double value);
std::string histogram_summary(const std::string& tag, const Tensor& values, int buckets);
std::string image_summary(const std::string& tag, const Tensor& images);
std::string text_summary(const std::string& tag, const std::string& text);

// The three summaries of a run in TensorBoard's HPARAMS tab (tensorboard/plugins/hparams/plugin_data.proto).
// `seconds` are those since 1970.
std::string experiment_summary(const std::vector<Json::Member>& values, const std::vector<std::string>& metrics,
                               double seconds);
std::string session_start_summary(const std::vector<Json::Member>& values, double seconds);
std::string session_end_summary(bool success, double seconds);

}  // namespace minima::detail
