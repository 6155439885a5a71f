// g++ says: designator order for field 'minima::nn::LinearOptions::in' does not match declaration order
// clang++ says: field 'out' will be initialized after field 'in'
#include <minima/minima.h>

using namespace minima;

int main() { nn::Linear fc({.out = 2, .in = 3}); }
