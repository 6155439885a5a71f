// g++ says: cannot declare variable 'net' to be of abstract type 'Net'
// clang++ says: variable type 'Net' is an abstract class
// g++ lines: 18
#include <minima/minima.h>

using namespace minima;

struct Net : nn::Module {
  Tensor forward(const Tensor& a, const Tensor& b) { return a + b; }
};

int main() {
  Net net;
  net(ones({2}), ones({2}));
}
