#include <minima/io/tensors/pickle.h>

#include <minima/io/files/format_error.h>
#include <minima/io/text/utf8.h>
#include <minima/tensor/base/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

using Kind = Pickled::Kind;
using Object = PickledObject;

Pickled made(Kind kind, std::uint32_t length = 0) {
  Pickled value;
  value.kind = kind;
  value.length = length;
  return value;
}

/// Instructions that torch.save does not use, by the names that Python gives them.
const char* name_of_refused(unsigned char code) {
  switch (code) {
    case 'i': return "INST";
    case 'o': return "OBJ";
    case 'P': return "PERSID";
    case 'F': return "FLOAT";
    case 'I': return "INT";
    case 'L': return "LONG";
    case 'S': return "STRING";
    case 'V': return "UNICODE";
    case 'd': return "DICT";
    case 'l': return "LIST";
    case 'g': return "GET";
    case 'p': return "PUT";
    case 0x82: return "EXT1";
    case 0x83: return "EXT2";
    case 0x84: return "EXT4";
    case 0x91: return "FROZENSET";
    case 0x92: return "NEWOBJ_EX";
    case 0x97: return "NEXT_BUFFER";
    case 0x98: return "READONLY_BUFFER";
    default: return nullptr;
  }
}

class Machine {
 public:
  Machine(std::string_view bytes, const std::string& source, std::uint64_t base) {
    pickle_.bytes = bytes;
    pickle_.source = source;
    pickle_.base = base;
  }

  Pickle run() {
    if (pickle_.bytes.empty() || number(1) != 0x80) fail("not a pickle of protocol 2 or later");
    const std::uint64_t protocol = number(1);
    if (protocol < 2 || protocol > 5) fail(str("a pickle of protocol ", protocol, "; 2 to 5 are read"));
    while (true) {
      start_ = at_;
      const auto code = static_cast<unsigned char>(number(1));
      if (code == '.') break;
      run_one(code);
    }
    pickle_.root = pop();
    if (!stack_.empty()) fail("the pickle leaves more than one value");
    pickle_.size = at_;
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { pickle_.fail(start_, what); }

  /// A little-endian number.
  std::uint64_t number(int bytes) {
    const auto count = static_cast<std::size_t>(bytes);
    expect(count);
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(pickle_.bytes[at_ + i]);
    at_ += count;
    return value;
  }
  void expect(std::uint64_t bytes) const {
    if (bytes <= pickle_.bytes.size() - at_) return;
    if (pickle_.bytes.size() == max_pickle_bytes)
      fail(str("a pickle of more than ", max_pickle_bytes, " bytes, the limit"));
    pickle_.fail(at_, "the pickle is truncated");
  }

  void push(const Pickled& value) { stack_.push_back(value); }
  void push_integer(std::int64_t value) {
    Pickled pushed = made(Kind::integer);
    pushed.integer = value;
    push(pushed);
  }
  void push_boolean(bool value) {
    Pickled pushed = made(Kind::boolean);
    pushed.integer = value;
    push(pushed);
  }
  /// Reads the next `length` bytes.
  void push_view(Kind kind, std::uint64_t length) {
    expect(length);
    if (kind == Kind::text) {
      const std::size_t bad = find_invalid_utf8(pickle_.bytes.substr(at_, length));
      if (bad != length) pickle_.fail(at_ + bad, "a text that is not UTF-8");
    }
    Pickled pushed = made(kind, static_cast<std::uint32_t>(length));
    pushed.at = at_;
    at_ += length;
    push(pushed);
  }
  void push_long(std::uint64_t length) {
    expect(length);
    if (length > 8) return push_view(Kind::large_integer, length);
    if (length == 0) return push_integer(0);
    const std::uint64_t bits = number(static_cast<int>(length));
    const int spare = 64 - 8 * static_cast<int>(length);
    push_integer(static_cast<std::int64_t>(bits << spare) >> spare);  // extends the sign
  }
  Object& push_object(Object::Kind kind) {
    Pickled pushed = made(Kind::object);
    pushed.index = pickle_.objects.size();
    pickle_.objects.push_back({.kind = kind, .at = static_cast<std::uint32_t>(start_)});
    push(pushed);
    return pickle_.objects.back();
  }
  void push_name(std::string_view module, std::string_view name) {
    if (module.empty() || name.empty()) fail("a class without a name");
    Pickled pushed = made(Kind::name);
    pushed.index = pickle_.names.size();
    pickle_.names.push_back({module, name, static_cast<std::uint32_t>(start_)});
    push(pushed);
  }

  /// The number of values below the last mark, or 0.
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  Pickled pop() {
    if (stack_.size() <= floor()) fail("an instruction lacks its value");
    const Pickled value = stack_.back();
    stack_.pop_back();
    return value;
  }
  /// The values above the last mark, which is removed.
  std::vector<Pickled> pop_to_mark() {
    if (marks_.empty()) fail("an instruction lacks its mark");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Pickled> values(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return values;
  }
  /// The object on top of the stack, which stays there.
  Object& top_object() {
    if (stack_.size() <= floor() || stack_.back().kind != Kind::object) fail("an instruction lacks its object");
    return pickle_.objects[stack_.back().index];
  }

  void push_tuple(std::size_t count) {
    if (stack_.size() - floor() < count) fail("an instruction lacks its value");
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<Pickled> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    push_object(Object::Kind::tuple).items = std::move(items);
  }
  void add_items(const std::vector<Pickled>& items) {
    Object& to = top_object();
    if (to.kind != Object::Kind::list && to.kind != Object::Kind::set && to.kind != Object::Kind::call)
      fail("an item for what is no list");
    to.items.insert(to.items.end(), items.begin(), items.end());
  }
  void add_pairs(const std::vector<Pickled>& items) {
    Object& to = top_object();
    if (to.kind != Object::Kind::dict && to.kind != Object::Kind::call) fail("a key for what is no dict");
    if (items.size() % 2 != 0) fail("a key without a value");
    to.items.insert(to.items.end(), items.begin(), items.end());
  }
  void push_call() {
    const Pickled arguments = pop(), callee = pop();
    if (arguments.kind != Kind::object || pickle_.object(arguments).kind != Object::Kind::tuple)
      fail("a call whose arguments are no tuple");
    if (callee.kind != Kind::name)
      fail("a call of what is no class or function, as in modules that are saved whole; save their state_dict()");
    Object& call = push_object(Object::Kind::call);
    call.callee = callee;
    call.arguments = arguments;
  }
  void set_state() {
    const Pickled state = pop();
    Object& object = top_object();
    if (object.kind != Object::Kind::call || object.has_state) fail("attributes for what has none");
    object.state = state;
    object.has_state = true;
  }
  void push_persistent() {
    const Pickled identification = pop();
    push_object(Object::Kind::persistent).arguments = identification;
  }

  void remember(std::uint64_t key) {
    if (stack_.size() <= floor()) fail("nothing to remember");
    memo_.insert_or_assign(static_cast<std::uint32_t>(key), stack_.back());
  }
  void recall(std::uint64_t key) {
    const auto found = memo_.find(static_cast<std::uint32_t>(key));
    if (found == memo_.end()) fail(str("value ", key, " is used before it is made"));
    push(found->second);
  }

  std::string_view line() {
    const std::size_t end = pickle_.bytes.find('\n', at_);
    if (end == std::string_view::npos) expect(pickle_.bytes.size());
    const std::string_view text = pickle_.bytes.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }
  void push_name_in_lines() {
    const std::string_view module = line();
    push_name(module, line());
  }
  void push_name_of_texts() {
    const Pickled name = pop(), module = pop();
    if (name.kind != Kind::text || module.kind != Kind::text) fail("a class without a name");
    push_name(pickle_.text(module), pickle_.text(name));
  }

  void push_float() {
    Pickled pushed = made(Kind::number);
    pushed.number = std::bit_cast<double>(__builtin_bswap64(number(8)));
    push(pushed);
  }

  void run_one(unsigned char code);

  Pickle pickle_;
  std::size_t at_ = 0, start_ = 0;
  std::vector<Pickled> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint32_t, Pickled> memo_;
};

// NOLINTNEXTLINE(readability-function-size): one line for each instruction
void Machine::run_one(unsigned char code) {
  switch (code) {
    case 'N': return push({});
    case 0x88: return push_boolean(true);
    case 0x89: return push_boolean(false);
    case 'J': return push_integer(static_cast<std::int32_t>(number(4)));
    case 'K': return push_integer(static_cast<std::int64_t>(number(1)));
    case 'M': return push_integer(static_cast<std::int64_t>(number(2)));
    case 0x8a: return push_long(number(1));
    case 0x8b: return push_long(number(4));
    case 'G': return push_float();

    case 'U': return push_view(Kind::text, number(1));  // Python 2's str
    case 'T': return push_view(Kind::text, number(4));
    case 0x8c: return push_view(Kind::text, number(1));
    case 'X': return push_view(Kind::text, number(4));
    case 0x8d: return push_view(Kind::text, number(8));
    case 'C': return push_view(Kind::bytes, number(1));
    case 'B': return push_view(Kind::bytes, number(4));
    case 0x8e: return push_view(Kind::bytes, number(8));
    case 0x96: return push_view(Kind::bytes, number(8));  // bytearray

    case ']': push_object(Object::Kind::list); return;
    case '}': push_object(Object::Kind::dict); return;
    case 0x8f: push_object(Object::Kind::set); return;
    case ')': push_object(Object::Kind::tuple); return;
    case 0x85: return push_tuple(1);
    case 0x86: return push_tuple(2);
    case 0x87: return push_tuple(3);
    case 't': {
      std::vector<Pickled> items = pop_to_mark();
      push_object(Object::Kind::tuple).items = std::move(items);
      return;
    }
    case 'a': return add_items({pop()});
    case 'e': return add_items(pop_to_mark());
    case 0x90: return add_items(pop_to_mark());
    case 's': {
      const Pickled value = pop(), key = pop();
      return add_pairs({key, value});
    }
    case 'u': return add_pairs(pop_to_mark());

    case 'c': return push_name_in_lines();
    case 0x93: return push_name_of_texts();
    case 'R': return push_call();
    case 0x81: return push_call();
    case 'b': return set_state();
    case 'Q': return push_persistent();

    case '(': marks_.push_back(stack_.size()); return;
    case '0': pop(); return;
    case '1': pop_to_mark(); return;
    case '2': {
      const Pickled value = pop();
      push(value);
      return push(value);
    }
    case 'q': return remember(number(1));
    case 'r': return remember(number(4));
    case 0x94: return remember(memo_.size());
    case 'h': return recall(number(1));
    case 'j': return recall(number(4));
    case 0x95: return expect(number(8));  // a frame, which only helps to read ahead

    default: {
      const char* known = name_of_refused(code);
      fail(str("the instruction ", known ? str(known) : str(static_cast<int>(code)),
               "; only those that torch.save writes are read"));
    }
  }
}

}  // namespace

void Pickle::fail(std::uint64_t at, const std::string& what) const { throw_format_error(source, base + at, what); }

Pickle read_pickle(std::string_view bytes, const std::string& source, std::uint64_t base) {
  return Machine(bytes.substr(0, max_pickle_bytes), source, base).run();
}

}  // namespace minima::detail
