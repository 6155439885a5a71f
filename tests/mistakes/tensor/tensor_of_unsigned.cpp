// says: name one of minima's element types, as in x.item<float>()
// clang++ lines: 15
#include <minima/minima.h>

using namespace minima;

int main() { tensor<unsigned>({1, 2}); }
