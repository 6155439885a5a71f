#include <minima/data/transfer.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

namespace minima::data {

Ref<Transfer> make_transfer(Device device, int) {
  throw DeviceError(str("DataLoader: batches for ", device, ", but this build of minima runs on the CPU alone"));
}

}  // namespace minima::data
