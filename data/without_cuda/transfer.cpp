#include <minima/data/loader/transfer.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

namespace minima::data {

Ref<Transfer> make_transfer(Device device, int) {
  throw DeviceError(str("DataLoader: cannot copy batches to ", device, ": minima was built without CUDA"));
}

}  // namespace minima::data
