#include <minima/tensor/dlpack.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cstddef>

namespace minima::dlpack_test {
namespace {

TEST(DLPack, LaysItsStructuresOutAsTheHeaderSays) {
  EXPECT_EQ(offsetof(dlpack::DLTensor, device), 8u);
  EXPECT_EQ(offsetof(dlpack::DLTensor, rank), 16u);
  EXPECT_EQ(offsetof(dlpack::DLTensor, dtype), 20u);
  EXPECT_EQ(offsetof(dlpack::DLTensor, shape), 24u);
  EXPECT_EQ(offsetof(dlpack::DLTensor, byte_offset), 40u);
  EXPECT_EQ(offsetof(dlpack::Managed, context), 48u);
  EXPECT_EQ(sizeof(dlpack::Managed), 64u);
}

TEST(DLPack, SharesMemoryThereAndBack) {
  const Tensor x = transpose(from_vector<float>({1, 2, 3, 4, 5, 6}, {2, 3}), 0, 1);
  for (const Tensor& original : {x, select(x, 0, 1)}) {
    const Tensor back = from_dlpack(to_dlpack(original));
    EXPECT_EQ(back.raw_data(), original.raw_data());
    EXPECT_EQ(back.shape(), original.shape());
    EXPECT_EQ(back.strides(), original.strides());
    EXPECT_EQ(back.to_vector<float>(), original.to_vector<float>());
  }
  for (const DType dtype : {boolean, uint8, int8, int32, int64, float16, bfloat16, float32, float64})
    EXPECT_EQ(from_dlpack(to_dlpack(zeros({2}, {.dtype = dtype}))).dtype(), dtype);
}

TEST(DLPack, TakesRowMajorMemoryAndGivesItBackOnce) {
  float values[] = {0, 1, 2, 3, 4, 5, 6};
  std::int64_t shape[] = {2, 3};
  int deleted = 0;
  dlpack::Managed managed{{values, {1, 0}, 2, {2, 32, 1}, shape, nullptr, 4}, &deleted, [](dlpack::Managed* m) {
                            ++*static_cast<int*>(m->context);
                          }};
  {
    const Tensor x = from_dlpack(&managed), row = x[1];
    EXPECT_EQ(row.to_vector<float>(), (std::vector<float>{4, 5, 6}));
    EXPECT_EQ(deleted, 0);
  }
  EXPECT_EQ(deleted, 1);
}

TEST(DLPack, RefusesWhatMinimaHasNotAndLeavesItAlone) {
  float value = 0;
  int deleted = 0;
  dlpack::Managed managed{{&value, {1, 0}, 0, {5, 32, 1}, nullptr, nullptr, 0}, &deleted, [](dlpack::Managed* m) {
                            ++*static_cast<int*>(m->context);
                          }};
  EXPECT_THROW(from_dlpack(&managed), DTypeError);
  managed.tensor.dtype = {2, 32, 1};
  managed.tensor.device.type = 7;
  EXPECT_THROW(from_dlpack(&managed), ValueError);
  EXPECT_EQ(deleted, 0);
  EXPECT_THROW(to_dlpack(zeros({2}).requires_grad(true)), ValueError);
}

}  // namespace
}  // namespace minima::dlpack_test
