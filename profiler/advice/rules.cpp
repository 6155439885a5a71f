#include <minima/profiler/advice/rules.h>

#include <vector>

namespace minima::profiler {

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all{
      {"autocast", detail::try_autocast},           {"channels_last", detail::try_channels_last},
      {"one thread", detail::try_one_thread},       {"batch size", detail::try_batch_sizes},
      {"captured step", detail::try_captured_step}, {"pinned memory", detail::try_pinned_memory},
      {"placement", detail::try_placement},         {"padding", detail::try_padding},
      {"recomputation", detail::try_recomputation}, {"fusing", detail::try_fusing},
  };
  return all;
}

}  // namespace minima::profiler
