// says: a child is a module, ListOf or OptionalOf; a tensor is a parameter(...) or buffer(...)
// clang++ lines: 13
#include <minima/minima.h>

using namespace minima;

struct Net : nn::Module {
  Tensor weight = child("weight", ones({2}));
  Tensor forward(const Tensor& x) { return x * weight; }
};

int main() {
  Net net;
  net(ones({2}));
}
