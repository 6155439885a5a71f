// g++ says: incomplete type 'minima::DTypeOf<unsigned int>'
// clang++ says: implicit instantiation of undefined template 'minima::DTypeOf<unsigned int>'
// clang++ lines: 17
#include <minima/minima.h>

using namespace minima;

int main() { ones({2}).data<unsigned>(); }
