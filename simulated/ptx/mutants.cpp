#include "simulated/ptx/mutants.h"

#include "simulated/ptx/execution/op.h"
#include "simulated/ptx/mutations.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

namespace simulated::ptx {

namespace {

/// FNV-1a, so that a kernel has the same mutants in every program.
std::uint64_t hash(const std::string& text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value;
}

/// The stretch of `original` that contains the one statement whose text is another in `changed`.
std::uint32_t find_stretch(const Program& original, const Program& changed) {
  std::uint32_t stretch = 0;
  for (const Op& op : original.ops()) {
    if (op.kind == Op::Kind::label) stretch = op.target;
    else if (original.text(op.statement) != changed.text(op.statement)) return stretch;
  }
  return stretch;
}

/// The stretch of each statement of the body. Those after a function that was put in place of its call count as part of
/// the first, which always runs.
std::vector<std::uint32_t> stretches_of(const Program& program, const Body& body) {
  std::vector<std::uint32_t> result;
  std::uint32_t stretch = 0;
  for (const Op& op : program.ops()) {
    if (op.kind == Op::Kind::label) stretch = op.target;
    else if (result.size() < body.statements.size() &&
             program.text(op.statement) == body.statements[result.size()].text)
      result.push_back(stretch);
  }
  result.resize(body.statements.size());
  return result;
}

std::uint64_t total(const std::vector<std::span<std::uint8_t>>& memory) {
  std::uint64_t bytes = 0;
  for (const std::span<std::uint8_t> part : memory) bytes += part.size();
  return bytes;
}

}  // namespace

std::string name(Fate fate) {
  switch (fate) {
    case Fate::not_executed: return "not executed";
    case Fate::not_read: return "not read";
    case Fate::same_result: return "same result";
    case Fate::survived: return "survived";
    case Fate::killed: break;
  }
  return "killed";
}

/// The inputs of one launch.
class Mutants::Trial {
 public:
  Trial(const Shape& shape, std::span<const std::uint8_t> parameters, const Options& options,
        const std::vector<std::span<std::uint8_t>>& memory)
      : shape_(shape), parameters_(parameters), options_(options), memory_(memory), before_(copy()) {}
  ~Trial() { restore(); }
  Trial(const Trial&) = delete;

  /// Makes the program's results those to compare with. None if it faults.
  std::optional<Counts> expect(const Program& program, std::uint64_t order, std::vector<std::uint64_t>* stretches) {
    options_.order = order;
    options_.stretch_lanes = stretches;
    options_.longest_block = Options{}.longest_block;
    restore();
    try {
      const Counts counts = run(program, shape_, parameters_, options_);
      expected_ = copy();
      options_.stretch_lanes = nullptr;
      options_.longest_block = 4 * (counts.instructions / std::max<std::uint64_t>(1, counts.blocks)) + 100000;
      return counts;
    } catch (const Fault& fault) {
      if (fault.kind() != Fault::Kind::race || !options_.global_races) return std::nullopt;
    }
    options_.global_races = false;  // some kernels order their blocks by themselves
    return expect(program, order, stretches);
  }
  /// Whether the program gives other results, or faults.
  bool differs(const Program& program) {
    if (faults(program, nullptr)) return true;
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if (!std::equal(memory_[i].begin(), memory_[i].end(), expected_[i].begin())) return true;
    return false;
  }
  bool traps(const Program& program) {
    Fault::Kind kind{};
    return faults(program, &kind) && kind == Fault::Kind::trap;
  }

 private:
  bool faults(const Program& program, Fault::Kind* kind) {
    restore();
    try {
      run(program, shape_, parameters_, options_);
      return false;
    } catch (const Fault& fault) {
      if (kind) *kind = fault.kind();
      return true;
    }
  }
  std::vector<std::vector<std::uint8_t>> copy() const {
    std::vector<std::vector<std::uint8_t>> result;
    for (const std::span<std::uint8_t> part : memory_) result.emplace_back(part.begin(), part.end());
    return result;
  }
  void restore() {
    for (std::size_t i = 0; i < memory_.size(); ++i)
      std::copy(before_[i].begin(), before_[i].end(), memory_[i].begin());
  }

  const Shape& shape_;
  std::span<const std::uint8_t> parameters_;
  Options options_;
  const std::vector<std::span<std::uint8_t>>& memory_;
  std::vector<std::vector<std::uint8_t>> before_, expected_;
};

bool Mutants::add(std::size_t at, Statement changed, bool barrier, const std::set<std::string>& killed) {
  Mutant mutant;
  mutant.outcome.change = std::to_string(at) + ": " + changed.text;
  mutant.outcome.barrier = barrier;
  const auto is_same = [&](const Mutant& other) { return other.outcome.change == mutant.outcome.change; };
  if (std::any_of(mutants_.begin(), mutants_.end(), is_same)) return false;
  if (killed.contains(mutant.outcome.change)) {
    mutant.outcome.fate = Fate::killed;
    mutant.outcome.equivalent = equivalence(body_, at, changed);
    mutants_.push_back(std::move(mutant));
    return true;
  }
  Body body = body_;
  body.statements[at] = changed;
  mutant.program = std::make_unique<Program>(module_, original_.name(), body);
  if (mutant.program->unknown().size() != original_.unknown().size()) return false;
  mutant.outcome.equivalent = equivalence(body_, at, changed);
  mutant.at = at;
  mutant.has_probe = !barrier && probe(body_, at, changed);
  mutant.statement = std::move(changed);
  mutant.stretch = find_stretch(original_, *mutant.program);
  mutants_.push_back(std::move(mutant));
  return true;
}

Mutants::Mutants(const Module& module, const Program& original, std::size_t count, const std::set<std::string>& killed)
    : module_(module), original_(original), body_(parse_body(*module.find(original.name()))) {
  std::mt19937_64 random(hash(original.name()));
  const std::vector<Statement>& statements = body_.statements;
  stretches_ = stretches_of(original, body_);
  paths_.ran.resize(statements.size());
  paths_.taken.resize(statements.size());
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (!is_barrier(statements[i])) continue;
    Statement changed = statements[i];
    remove(changed);
    changed.text += " [removed]";
    add(i, std::move(changed), true, killed);
  }
  std::size_t made = 0;
  for (std::size_t tries = 0; made < count && tries < 20 * count && !statements.empty(); ++tries) {
    const std::size_t at = random() % statements.size();
    Statement changed = statements[at];
    if (mutate(changed, random) && add(at, std::move(changed), false, killed)) ++made;
  }
}

void Mutants::note_paths(const std::vector<std::uint64_t>& lanes) {
  const std::vector<Statement>& statements = body_.statements;
  std::vector<bool> labelled(statements.size() + 1);
  for (const auto& [name, at] : body_.labels) labelled[at] = true;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const std::uint64_t here = lanes[stretches_[i]];
    if (here == 0) continue;
    paths_.ran[i] = true;
    // After a branch a stretch begins; what comes to it from elsewhere cannot be told from what was not taken.
    const bool all_went_on = !statements[i].guard.empty() && i + 1 < statements.size() && !labelled[i + 1] &&
                             lanes[stretches_[i + 1]] == here;
    if (statements[i].opcode[0] == "bra" && !all_went_on) paths_.taken[i] = true;
  }
}

void Mutants::try_all(const Shape& shape, std::span<const std::uint8_t> parameters, const Options& options,
                      const std::vector<std::span<std::uint8_t>>& memory, bool all_inputs) {
  const auto is_alive = [](const Mutant& mutant) { return mutant.outcome.fate != Fate::killed; };
  if (budget_ == 0 || std::none_of(mutants_.begin(), mutants_.end(), is_alive)) return;
  Trial trial(shape, parameters, options, memory);
  std::vector<std::uint64_t> stretches;
  const std::optional<Counts> normal = trial.expect(original_, 0, &stretches);
  if (!normal) return;
  note_paths(stretches);
  const std::uint64_t cost = normal->instructions + total(memory) / 64 + 1000;
  // Most is left for later launches: many small inputs show more than a large one.
  const auto pay = [&](std::uint64_t times) {
    if (all_inputs) return true;
    if (budget_ / 32 < times * cost) return false;
    budget_ -= times * cost;
    return true;
  };
  for (Mutant& mutant : mutants_) {
    Fate& fate = mutant.outcome.fate;
    const auto reached = [&](Fate now) { fate = std::max(fate, now); };
    if (!is_alive(mutant) || stretches[mutant.stretch] == 0 || !pay(2)) continue;
    reached(Fate::same_result);
    if (mutant.has_probe) {
      if (!mutant.probe)
        mutant.probe = std::make_unique<Program>(module_, original_.name(), *probe(body_, mutant.at, mutant.statement));
      if (!trial.traps(*mutant.probe)) continue;
    }
    reached(trial.differs(*mutant.program) ? Fate::killed : Fate::survived);
  }
  for (Mutant& mutant : mutants_)
    if (all_inputs && is_alive(mutant) && mutant.outcome.equivalent.empty() && !mutant.outcome.barrier &&
        computes_with_numbers(body_, mutant.at))
      mutant.outcome.equivalent = "all inputs";
  for (const std::uint64_t order : {1, 2}) {
    const auto waits = [&](const Mutant& mutant) {
      return mutant.outcome.barrier && mutant.outcome.fate == Fate::survived;
    };
    if (std::none_of(mutants_.begin(), mutants_.end(), waits) || !pay(2) || !trial.expect(original_, order, nullptr))
      break;
    for (Mutant& mutant : mutants_)
      if (waits(mutant) && pay(1) && trial.differs(*mutant.program)) mutant.outcome.fate = Fate::killed;
  }
  for (Mutant& mutant : mutants_) {
    if (is_alive(mutant)) continue;
    mutant.program = nullptr;
    mutant.probe = nullptr;
  }
}

std::vector<Outcome> Mutants::outcomes() const {
  std::vector<Outcome> result;
  std::transform(mutants_.begin(), mutants_.end(), std::back_inserter(result), [&](const Mutant& mutant) {
    Outcome outcome = mutant.outcome;
    const bool ran = outcome.fate == Fate::same_result || outcome.fate == Fate::survived;
    if (ran && !outcome.barrier && !is_read(body_, mutant.at, paths_)) outcome.fate = Fate::not_read;
    return outcome;
  });
  return result;
}

}  // namespace simulated::ptx
