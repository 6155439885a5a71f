#include <minima/train/run/loss_guard.h>

#include <minima/io/counter.h>
#include <minima/io/state.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/format.h>
#include <minima/train/run/run_options.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

namespace minima::train::detail {

namespace {

std::string loss_text(double loss, double z) {
  char text[96];
  if (std::isfinite(loss))
    std::snprintf(text, sizeof text, "loss %.6g, %.1f standard deviations above the mean", loss, z);
  else std::snprintf(text, sizeof text, "loss %g", loss);
  return text;
}

}  // namespace

LossGuard::LossGuard(const LossRules& rules) : rules_(rules), detector_(rules.spikes) {
  minima::detail::check_number("Run", "loss.factor", rules.factor, minima::detail::between(0, 1));
  minima::detail::check_count("Run", "loss.patience", rules.patience, 0);
}

BadLoss LossGuard::judge(double loss) {
  BadLoss action = BadLoss::ignore;
  if (!std::isfinite(loss)) {
    action = rules_.non_finite;
    if (action != BadLoss::ignore) ++counts_.non_finite;
  } else if (rules_.spike != BadLoss::ignore && detector_.is_spike(loss)) {
    action = rules_.spike;
    ++counts_.spikes;
  }
  if (action == BadLoss::ignore) {
    in_a_row_ = 0;
    return action;
  }
  reason_ = loss_text(loss, detector_.last_z());
  if (++in_a_row_ > rules_.patience) {
    reason_ += str("; it is number ", in_a_row_, " of the bad ones in a row");
    return BadLoss::stop;
  }
  if (action == BadLoss::stop) return action;
  ++counts_.skipped;
  if (action == BadLoss::rewind) ++counts_.rewound;
  if (action == BadLoss::lower_rate) {
    ++counts_.lowered;
    rate_ *= rules_.factor;
  }
  return action;
}

State LossGuard::state_dict() const {
  State state;
  state.set_integer("non_finite", counts_.non_finite);
  state.set_integer("spikes", counts_.spikes);
  state.set_integer("skipped", counts_.skipped);
  state.set_integer("rewound", counts_.rewound);
  state.set_integer("lowered", counts_.lowered);
  state.set_integer("in_a_row", in_a_row_);
  state.set_number("rate", rate_);
  state.add("detector", detector_.state_dict());
  return state;
}

void LossGuard::load_state_dict(const State& state) {
  using minima::detail::counter;
  const LossCounts counts{.non_finite = counter(state, "non_finite"),
                          .spikes = counter(state, "spikes"),
                          .skipped = counter(state, "skipped"),
                          .rewound = counter(state, "rewound"),
                          .lowered = counter(state, "lowered")};
  const std::int64_t in_a_row = counter(state, "in_a_row");
  const double rate = state.number("rate");
  detector_.load_state_dict(state.sub("detector"));
  counts_ = counts;
  in_a_row_ = in_a_row;
  rate_ = rate;
}

}  // namespace minima::train::detail
