// g++ says: cannot declare variable 'net' to be of abstract type 'Net'
// clang++ says: variable type 'Net' is an abstract class
// g++ lines: 12
#include <minima/minima.h>

using namespace minima;

struct Net : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 2, .out = 2}));
};

int main() {
  Net net;
  net(ones({2}));
}
