#include <minima/train/logs/run_log.h>

#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/io/plots/line_plot.h>
#include <minima/io/text/csv_reader.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/train/logs/event_reader.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace minima {

namespace {

namespace fs = std::filesystem;

constexpr const char* step_names[] = {"step", "steps", "iteration", "epoch"};

bool is_event_file(const fs::path& path) { return path.filename().string().find("tfevents") != std::string::npos; }

/// A step before the last one begins what a resumed run repeats.
void append(RunLog& log, const std::string& tag, double step, double value) {
  Series& curve = log.curves[tag];
  curve.name = tag;
  if (!curve.x.empty() && step < curve.x.back()) {
    const auto kept =
        static_cast<std::size_t>(std::lower_bound(curve.x.begin(), curve.x.end(), step) - curve.x.begin());
    curve.x.resize(kept);
    curve.y.resize(kept);
  }
  curve.x.push_back(step);
  curve.y.push_back(value);
}

void read_event_file(RunLog& log, const std::string& path) {
  for (const EventRecord& event : read_events(path).events)
    if (event.kind == EventRecord::Kind::scalar) append(log, event.tag, static_cast<double>(event.step), event.value);
}

void read_csv_file(RunLog& log, const std::string& path) {
  const CsvTable table = read_csv(path, {.missing = {"", "NA", "null", "NULL"}});
  const CsvColumn* steps = nullptr;
  for (const char* name : step_names)
    for (const CsvColumn& column : table.columns)
      if (!steps && column.name == name && column.type != CsvType::text) steps = &column;
  const std::vector<double> x = steps ? steps->values.to_vector<double>() : std::vector<double>();
  for (const CsvColumn& column : table.columns) {
    if (&column == steps || column.type == CsvType::text) continue;
    const std::vector<double> values = column.values.to_vector<double>();
    const std::vector<bool> missing = column.missing.to_vector<bool>();
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!missing[i]) append(log, column.name, steps ? x[i] : static_cast<double>(i), values[i]);
  }
}

bool is_number(const Json& value) {
  return value.kind() == Json::Kind::integer || value.kind() == Json::Kind::unsigned_integer ||
         value.kind() == Json::Kind::number;
}

void append_row(RunLog& log, const Json& row, double number) {
  const char* steps = "";
  for (const char* name : step_names)
    if (const Json* value = row.find(name); !*steps && value && is_number(*value)) steps = name;
  const double step = *steps ? row.at(steps).number() : number;
  for (const auto& [tag, value] : row.members()) {
    if (tag == steps) continue;
    if (is_number(value)) append(log, tag, step, value.number());
    else if (value.is_null())
      append(log, tag, step, std::numeric_limits<double>::quiet_NaN());  // as JsonlWriter writes
  }
}

bool is_whole(std::string_view line) {
  try {
    Json::parse(line, "JSON", JsonDialect::python);
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

void read_jsonl_file(RunLog& log, const std::string& path) {
  const MappedFile mapped(path);
  std::string_view rest = mapped.text();
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);  // a byte order mark
  int row = 0;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (end == std::string_view::npos && !is_whole(line)) return;  // being written, or cut off by a crash
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto offset = static_cast<std::uint64_t>(line.data() - reinterpret_cast<const char*>(mapped.data()));
    const Json object = Json::parse(line, str(path, ": line ", number), JsonDialect::python);
    if (object.kind() != Json::Kind::object) detail::throw_format_error(path, offset, "the line is not a JSON object");
    append_row(log, object, row++);
  }
}

void read_file(RunLog& log, const fs::path& path) {
  if (is_event_file(path)) read_event_file(log, path.string());
  else if (path.extension() == ".csv") read_csv_file(log, path.string());
  else if (path.extension() == ".jsonl") read_jsonl_file(log, path.string());
  else
    throw ValueError(str("read_run_log: ", path.string(),
                         " is no log: expected an event file (…tfevents…), a .csv or a .jsonl file, or a folder of "
                         "such"));
}

/// The folder's event files in the order in which they were begun, or else its only other log.
std::vector<fs::path> logs_in(const fs::path& folder) {
  std::vector<fs::path> events, others;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_event_file(entry.path())) events.push_back(entry.path());
    else if (entry.path().extension() == ".csv" || entry.path().extension() == ".jsonl") others.push_back(entry.path());
  }
  std::sort(events.begin(), events.end());
  if (!events.empty()) return events;
  if (others.size() == 1) return others;
  throw ValueError(str("read_run_log: ", folder.string(),
                       others.empty() ? " holds no event file, .csv or .jsonl file"
                                      : " holds no event file but several others; name one of them"));
}

std::vector<std::string> parts_of(const std::string& text) {
  fs::path path = fs::path(text).lexically_normal();
  if (is_event_file(path) && path.has_parent_path()) path = path.parent_path();
  std::vector<std::string> parts;
  for (const fs::path& part : path)
    if (!part.empty()) parts.push_back(part.string());
  return parts;
}

}  // namespace

RunLog read_run_log(const std::string& path) {
  RunLog log{.path = path, .curves = {}};
  if (fs::is_directory(path))
    for (const fs::path& file : logs_in(path)) read_file(log, file);
  else read_file(log, path);
  return log;
}

const Series& curve_of(const RunLog& run, const std::string& tag) {
  const auto found = run.curves.find(tag);
  if (found != run.curves.end()) return found->second;
  std::string tags;
  for (const auto& [name, curve] : run.curves) tags += (tags.empty() ? "" : ", ") + detail::printable(name);
  throw ValueError(
      str(run.path, " has no scalar ", tag, "; ", tags.empty() ? "it has none at all" : str("it has ", tags)));
}

std::vector<std::string> short_names(const std::vector<std::string>& paths) {
  std::vector<std::vector<std::string>> parts;
  parts.reserve(paths.size());
  for (const std::string& path : paths) parts.push_back(parts_of(path));
  if (std::set(parts.begin(), parts.end()).size() < parts.size()) return paths;
  const auto all_share = [&](const auto& part_of) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const auto& own) { return own.size() > 1 && part_of(own) == part_of(parts[0]); });
  };
  const bool several = parts.size() > 1;
  while (several && all_share([](const auto& own) { return own.front(); }))
    for (auto& own : parts) own.erase(own.begin());
  while (several && all_share([](const auto& own) { return own.back(); }))
    for (auto& own : parts) own.pop_back();
  std::vector<std::string> names;
  for (const auto& own : parts) {
    std::string& name = names.emplace_back();
    for (const std::string& part : several ? own : std::vector<std::string>(1, own.empty() ? "" : own.back()))
      name += (name.empty() || name == "/" ? "" : "/") + part;
  }
  return names;
}

}  // namespace minima
