#include "operator_schema.h"

#include <c10/util/Exception.h>

#include <cctype>

namespace c10::detail {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

/// The end of the parenthesis that opens at `open`.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  TORCH_CHECK(false, "schema '", text, "': a parenthesis is not closed");
}

/// `Tensor(a!)[] self`: the letters before `!`, `|` or an arrow.
SchemaItem item_of(std::string_view text) {
  SchemaItem item;
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || text.substr(0, open).find('=') != std::string_view::npos) return item;
  const std::string_view inside = text.substr(open + 1, closing(text, open) - open - 1);
  for (const char c : inside) {
    if (!std::isalnum(static_cast<unsigned char>(c))) break;
    item.alias += c;
  }
  item.is_written = inside.find('!') != std::string_view::npos;
  return item;
}

std::vector<SchemaItem> items_of(std::string_view list) {
  std::vector<SchemaItem> items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    if (c != ',' || depth != 0) continue;
    const std::string_view item = trimmed(list.substr(begin, i - begin));
    if (!item.empty() && item != "*") items.push_back(item_of(item));
    begin = i + 1;
  }
  return items;
}

}  // namespace

OperatorSchema parse_schema(std::string_view text) {
  OperatorSchema schema;
  const std::size_t open = text.find('(');
  std::string_view name = trimmed(text.substr(0, open));
  if (const std::size_t colons = name.find("::"); colons != std::string_view::npos) name.remove_prefix(colons + 2);
  schema.name = name;
  TORCH_CHECK(!name.empty(), "schema '", text, "': there is no name");
  if (open == std::string_view::npos) return schema;
  const std::size_t close = closing(text, open);
  schema.arguments = items_of(text.substr(open + 1, close - open - 1));
  const std::size_t arrow = text.find("->", close);
  TORCH_CHECK(arrow != std::string_view::npos, "schema '", text, "': write '-> ()' if there is no result");
  std::string_view results = trimmed(text.substr(arrow + 2));
  if (!results.empty() && results.front() == '(') results = results.substr(1, closing(results, 0) - 1);
  schema.results = items_of(results);
  schema.is_complete = true;
  return schema;
}

}  // namespace c10::detail
