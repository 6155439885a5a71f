#include <minima/data/loader/transfer.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

namespace minima::data {

Ref<Transfer> make_transfer(Device device, int) {
  throw DeviceError(str("DataLoader: batches for ", device, ", but this build of minima runs on the CPU alone"));
}

}  // namespace minima::data
