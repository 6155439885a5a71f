#pragma once

#include <minima/data/transforms/apply.h>
#include <minima/tensor/base/dtype.h>

// Checks of what users write into transforms, the same for images and for batches. They throw ValueError. Internal to
// data.

namespace minima::data {
struct AugMix;
struct ColorJitter;
struct ElasticTransform;
struct GaussianBlur;
struct Pad;
struct RandAugment;
struct RandomAffine;
struct RandomCrop;
struct RandomErasing;
struct RandomPerspective;
struct RandomResizedCrop;
struct RandomRotation;
}  // namespace minima::data

namespace minima::data::detail {

/// From 0 to 255 for uint8 images; finite for others.
void check_fill(const char* transform, double fill, DType dtype);

void check_options(const AugMix& rule);
void check_options(const ColorJitter& rule);
void check_options(const ElasticTransform& rule);
void check_options(const GaussianBlur& rule);
void check_options(const Pad& rule);
void check_options(const RandAugment& rule);
void check_options(const RandomAffine& rule);
void check_options(const RandomCrop& rule);
void check_options(const RandomErasing& rule);
void check_options(const RandomPerspective& rule);
void check_options(const RandomResizedCrop& rule);
void check_options(const RandomRotation& rule);

}  // namespace minima::data::detail
