#include "simulated/tests/library/library.h"

#include "simulated/census/census.h"

#include <minima/data/transforms/on_batch/on_batch.h>
#include <minima/ops/ops.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

// Transforms of batches copy their random numbers to the GPU and never wait for it.

namespace minima::data::on_batch_test {
namespace {

class SimulatedLibraryOnBatch : public LibraryOnSimulatedGpus {};

TEST_F(SimulatedLibraryOnBatch, DoesNotWaitForTheGpu) {
  const auto augment =
      on_batch(compose(RandomCrop{.size = 12, .padding = 2}, RandomResizedCrop{.size = 10}, RandomHorizontalFlip{},
                       Pad{.left = 1, .right = 1}, RandomApply(RandomAffine{.degrees = 20}, 0.5), RandomPerspective{},
                       GaussianBlur{}, ElasticTransform{.sigma = 1}, ColorJitter{.4, .4, .4, .2},
                       RandomGrayscale{.probability = 0.5}, RandomChoice(RandomInvert{}, RandomRotation{}), ToTensor{},
                       Normalize{{.5, .5, .5}, {.2, .2, .2}}, RandomErasing{.probability = 1}));
  const Tensor images = full({6, 14, 13, 3}, 100, {.dtype = uint8, .device = Device::cuda()});
  RandomStream random(3);
  augment(images, random);  // the first call allocates memory
  const simulated::Census census;
  const Tensor y = augment(images, random);
  std::int64_t copies = 0;
  for (const simulated::CallCount& call : census.calls()) {
    EXPECT_FALSE(simulated::is_synchronisation(call.function)) << call.function << ", " << call.count << " times";
    copies += call.function.starts_with("cudaMemcpyAsync") ? call.count : 0;
  }
  EXPECT_GE(copies, 13);
  EXPECT_EQ(y.shape(), Shape({6, 3, 10, 12}));
}

}  // namespace
}  // namespace minima::data::on_batch_test
