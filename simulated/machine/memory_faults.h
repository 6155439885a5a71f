#pragma once

namespace simulated {

/// From now on a crash at an address of a simulated GPU says who touched it before the program ends.
void explain_memory_faults();

}  // namespace simulated
