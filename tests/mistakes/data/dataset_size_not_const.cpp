// says: a dataset's size, get, fetch and open must be const
#include <minima/minima.h>

using namespace minima;

struct Numbers {
  std::int64_t size() { return 3; }
  Tensor get(std::int64_t index) const { return full({1}, index); }
};

int main() {
  data::DataLoader loader(Numbers{}, {.batch_size = 2});
  for (auto& x : loader) relu(x);
}
