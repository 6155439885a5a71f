#pragma once

#include "trainer.h"

#include <string>
#include <vector>

/// `loss 0.3456`
std::string loss_text(double loss);
/// Prints the last epoch's line and rewrites log.csv and learning_curve.svg in the output folder.
void report_epoch(const Options& options, const std::vector<EpochRecord>& records);
/// Draws up to 36 misclassified images, with the true and the predicted label.
void draw_misclassified(const Options& options, const minima::data::LabelledImages& set, const Evaluation& evaluation);

/// The first `most` misclassified images [B, 1, 28, 28]; all images if none is.
minima::Tensor misclassified(const minima::data::LabelledImages& set, const Evaluation& evaluation, std::size_t most);
