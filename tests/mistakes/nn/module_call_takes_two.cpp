// says: an nn::Module takes one tensor: derive from nn::ModuleOf<Self> for other arguments
#include <minima/minima.h>

using namespace minima;

struct Net : nn::Module {
  Tensor forward(const Tensor& x) { return relu(x); }
};

int main() {
  Net net;
  net(ones({2}), ones({2}));
}
