// says: the module has no public forward that takes these arguments
#include <minima/minima.h>

using namespace minima;

struct Net : nn::ModuleOf<Net> {
  nn::Linear a = child("a", nn::Linear({.in = 2, .out = 2}));
};

int main() {
  Net net;
  net(ones({2}));
}
