// g++ says: no matching function for call to 'minima::optim::SGD::SGD(std::vector<minima::Tensor>, <brace-enclosed
// clang++ says: no matching constructor for initialization of 'optim::SGD'
// g++ lines: 12
#include <minima/minima.h>

using namespace minima;

int main() {
  nn::Linear net({.in = 2, .out = 1});
  optim::SGD optimizer(net.parameters(), {.learning_rate = 0.1});
}
