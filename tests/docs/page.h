#pragma once

// Included by the programs made from the pages; see CMakeLists.txt. Nothing of the standard library, so that a page's
// own includes must suffice.

namespace page {

/// Marks where the output of a block begins.
void begin_block(int number);
/// False: guards the blocks marked `compile only`.
bool runs_everything();

}  // namespace page
