// g++ says: designator order for field 'minima::optim::SGDOptions::lr' does not match declaration order
// clang++ says: field 'momentum' will be initialized after field 'lr'
#include <minima/minima.h>

using namespace minima;

int main() {
  nn::Linear net({.in = 2, .out = 1});
  optim::SGD optimizer(net.parameters(), {.momentum = 0.9, .lr = 0.1});
}
