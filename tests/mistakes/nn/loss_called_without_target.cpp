// says: the module has no public forward that takes these arguments
#include <minima/minima.h>

using namespace minima;

int main() { nn::MSELoss()(ones({2})); }
