#include "simulated/tests/library/library.h"
#include "simulated/tests/library/training.h"

#include <minima/autograd/backward.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/transfer.h>

#include <vector>

namespace minima::backward_test {
namespace {

class SimulatedLibraryBackward : public LibraryOnSimulatedGpus {};

Tensor filled(float value) {
  const Tensor x = empty({8});
  for (int i = 0; i < 8; ++i) x.data<float>()[i] = value;
  return detail::on_device(x, first_gpu);
}

/// Forward on a stream, backward called on another: each node runs where its forward ran, in the caller's order.
TEST_F(SimulatedLibraryBackward, RunsOnTheStreamsOfForward) {
  const Stream side = Stream::create(first_gpu);
  EXPECT_EQ(failures([&] {
              const Stream caller = current_stream(first_gpu);
              Tensor w = filled(3);
              w.requires_grad(true);
              const Tensor x = filled(5), seed = filled(2);
              side.wait(caller);
              Tensor y;
              {
                const StreamGuard guard(side);
                y = test::product(test::product(w, x), test::product(x, x));
              }
              y.backward(seed);
              y = Tensor();
              {
                const StreamGuard guard(side);  // gets what backward has freed
                for (int i = 0; i < 4; ++i) test::product(w.detach(), w.detach());
              }
              return w.grad().to_vector<float>() == std::vector<float>(8, 2 * 5 * 5 * 5);
            }),
            0);
}

}  // namespace
}  // namespace minima::backward_test
