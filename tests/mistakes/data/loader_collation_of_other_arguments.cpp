// says: collate must take a std::span of the dataset's samples
#include <minima/minima.h>

using namespace minima;

struct Numbers {
  std::int64_t size() const { return 3; }
  Tensor get(std::int64_t index) const { return full({1}, index); }
};

int main() {
  data::DataLoader loader(Numbers{}, {.batch_size = 2}, [](const Tensor& x) { return x; });
  for (auto& x : loader) relu(x);
}
