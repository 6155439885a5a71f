// g++ says: designator order for field 'minima::data::LoaderOptions::batch_size' does not match declaration order
// clang++ says: field 'shuffle' will be initialized after field 'batch_size'
#include <minima/minima.h>

using namespace minima;

int main() { data::DataLoader loader(data::TensorDataset(ones({2, 3})), {.shuffle = true, .batch_size = 2}); }
