#include <minima/train/monitor/run_status.h>

#include <minima/io/files/read_to_end.h>
#include <minima/io/files/run_folder.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/nvml.h>
#include <minima/train/monitor/machine_sample.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace minima::train {

namespace {

using detail::RunFolder;

std::string file_of(std::int64_t process) { return str(process, ".json"); }

/// The process whose status has this name, or of which a killed writer left the temporary `.PID.json.XXXXXXXX.tmp`; 0
/// for other files.
std::int64_t process_of(std::string_view name) {
  const bool is_temporary = name.starts_with(".") && name.ends_with(".tmp");
  if (is_temporary) name.remove_prefix(1);
  std::int64_t process = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  const std::string_view kind = name.substr(static_cast<std::size_t>(rest - name.data()));
  if (error != std::errc() || process <= 0) return 0;
  return kind == ".json" || (is_temporary && kind.starts_with(".json.")) ? process : 0;
}

/// When a process started, in ticks since the machine did; empty if there is none. A number that is used again has
/// another one.
std::string start_of(std::int64_t process) {
  const std::string text = detail::read_to_end(str("/proc/", process, "/stat")).value_or("");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return "";
  std::istringstream fields(text.substr(name_end + 1));
  std::string word;
  for (int i = 0; i < 20; ++i) fields >> word;
  return word;
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }
double number_of(const Json& object, const char* key) {
  const Json& value = object.at(key);
  return value.is_null() ? std::nan("") : value.number();
}

RunStatus status_of(const Json& file) {
  RunStatus status;
  status.name = file.at("name").string();
  status.process = file.at("process").integer();
  status.device = file.at("device").string();
  status.step = file.at("step").integer();
  status.steps = file.at("steps").integer();
  status.loss = number_of(file, "loss");
  status.rate = number_of(file, "rate");
  status.seconds = number_of(file, "seconds");
  status.alert = file.at("alert").string();
  const Json& machine = file.at("machine");
  status.machine.processor = machine.at("processor").number();
  status.machine.process = machine.at("process").number();
  if (const Json* cores = machine.find("cores")) status.machine.cores = static_cast<int>(cores->integer());
  status.machine.resident = machine.at("resident").integer();
  for (const Json& gpu : machine.at("gpus").items()) {
    cuda::Sensors& sensors = status.machine.gpus.emplace_back();
    sensors.known = true;
    sensors.utilization = static_cast<int>(gpu.at("utilization").integer());
    sensors.memory_used = gpu.at("memory_used").integer();
    sensors.temperature = static_cast<int>(gpu.at("temperature").integer());
    sensors.power = gpu.at("power").number();
  }
  return status;
}

}  // namespace

std::string status_folder() { return detail::run_folder(); }

void write_status(const RunStatus& status, const std::string& folder) {
  Json gpus = Json::array();
  for (const cuda::Sensors& gpu : status.machine.gpus)
    gpus.push_back(Json::object({{"utilization", gpu.utilization},
                                 {"memory_used", gpu.memory_used},
                                 {"temperature", gpu.temperature},
                                 {"power", gpu.power}}));
  const Json machine = Json::object({{"processor", status.machine.processor},
                                     {"process", status.machine.process},
                                     {"cores", status.machine.cores},
                                     {"resident", status.machine.resident},
                                     {"gpus", gpus}});
  const Json file = Json::object({{"name", status.name},
                                  {"process", status.process},
                                  {"started", start_of(status.process)},
                                  {"device", status.device},
                                  {"step", status.step},
                                  {"steps", status.steps},
                                  {"loss", finite(status.loss)},
                                  {"rate", finite(status.rate)},
                                  {"seconds", finite(status.seconds)},
                                  {"alert", status.alert},
                                  {"machine", machine}});
  RunFolder(folder, RunFolder::Access::write).write(file_of(status.process), file.with_valid_utf8().text());
}

void remove_status(std::int64_t process, const std::string& folder) try {
  RunFolder(folder, RunFolder::Access::read).remove(file_of(process));
} catch (const Error&) {  // nothing of this user is there
}

std::vector<RunStatus> running(const std::string& folder) {
  std::vector<RunStatus> found;
  std::optional<RunFolder> files;
  try {
    files.emplace(folder, RunFolder::Access::read);
  } catch (const Error&) {
    return found;
  }
  for (const std::string& name : files->names()) {
    const std::int64_t process = process_of(name);
    if (process == 0) continue;
    const std::string started = start_of(process);
    if (started.empty()) files->remove(name);
    if (started.empty() || name != file_of(process)) continue;
    const std::optional<std::string> text = files->read(name);
    if (!text) continue;
    try {
      const Json file = Json::parse(*text, name);
      const RunStatus status = status_of(file);
      if (status.process != process) continue;
      if (started == file.at("started").string()) found.push_back(status);
      else files->remove(name);
    } catch (const Error&) {  // one of another version
    }
  }
  std::sort(found.begin(), found.end(), [](const RunStatus& a, const RunStatus& b) { return a.process < b.process; });
  return found;
}

}  // namespace minima::train
