#include "simulated/machine/recorder.h"

namespace simulated {

Label& label() {
  thread_local Label current;
  return current;
}

}  // namespace simulated
