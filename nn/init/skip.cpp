#include <minima/nn/init/skip.h>

namespace minima::nn::init {

namespace {
thread_local bool skips = false;
}

Skip::Skip() : outer_(skips) { skips = true; }
Skip::~Skip() { skips = outer_; }
bool Skip::is_on() { return skips; }

}  // namespace minima::nn::init
