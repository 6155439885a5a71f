#include <minima/autograd/observe/formula_observer.h>

#include <utility>

namespace minima {

namespace {
constinit thread_local FormulaObserver* current = nullptr;
}

FormulaObserver* set_formula_observer(FormulaObserver* observer) { return std::exchange(current, observer); }

FormulaObserver* detail::formula_observer() { return current; }

}  // namespace minima
