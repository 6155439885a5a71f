// says: the module has no public forward that takes these arguments
#include <minima/minima.h>

using namespace minima;

struct Net : nn::ModuleOf<Net> {
  Tensor forward(const Tensor& a, const Tensor& b) { return a + b; }
};

int main() {
  Net net;
  net(ones({2}));
}
