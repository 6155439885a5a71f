// says: a dataset needs `Sample get(std::int64_t index) const`
#include <minima/minima.h>

using namespace minima;

struct Numbers {
  std::int64_t size() const { return 3; }
};

int main() {
  data::DataLoader loader(Numbers{}, {.batch_size = 2});
  for (auto& x : loader) relu(x);
}
