// says: the module has no public forward that takes these arguments
#include <minima/minima.h>

using namespace minima;

class Net : public nn::ModuleOf<Net> {
  Tensor forward(const Tensor& a) { return a; }
};

int main() {
  Net net;
  net(ones({2}));
}
