// says: a dataset needs `std::int64_t size() const`
#include <minima/minima.h>

using namespace minima;

int main() { data::DataLoader loader(ones({2, 3}), {.batch_size = 2}); }
