#include <minima/train/monitor/run_status.h>

#include <minima/io/files/atomic_file.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/train/monitor/machine_sample.h>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace minima::train {

namespace {

namespace fs = std::filesystem;

std::string file_of(std::int64_t process, const std::string& folder) { return str(folder, "/", process, ".json"); }

/// When a process started, in ticks since the machine did; empty if there is none. A number that is used again has
/// another one.
std::string start_of(std::int64_t process) {
  std::ifstream in(str("/proc/", process, "/stat"));
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
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

std::string status_folder() {
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime) return str(runtime, "/minima");
  return str(fs::temp_directory_path().string(), "/minima-", getuid());
}

void write_status(const RunStatus& status, const std::string& folder) {
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all);
  Json gpus = Json::array();
  for (const cuda::Sensors& gpu : status.machine.gpus)
    gpus.push_back(Json::object({{"utilization", gpu.utilization},
                                 {"memory_used", gpu.memory_used},
                                 {"temperature", gpu.temperature},
                                 {"power", gpu.power}}));
  const Json machine = Json::object({{"processor", status.machine.processor},
                                     {"process", status.machine.process},
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
  write_file(file_of(status.process, folder), file.with_valid_utf8().text());
}

void remove_status(std::int64_t process, const std::string& folder) {
  std::error_code ignored;
  fs::remove(file_of(process, folder), ignored);
}

std::vector<RunStatus> running(const std::string& folder) {
  std::vector<RunStatus> found;
  std::error_code none;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end; entry.increment(none)) {
    if (entry->path().extension() != ".json") continue;
    try {
      std::ifstream in(entry->path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      const Json file = Json::parse(text, entry->path().string());
      const RunStatus status = status_of(file);
      const std::string started = start_of(status.process);
      if (!started.empty() && started == file.at("started").string()) found.push_back(status);
      else remove_status(status.process, folder);
    } catch (const Error&) {  // another program's file, or one of another version
    }
  }
  std::sort(found.begin(), found.end(), [](const RunStatus& a, const RunStatus& b) { return a.process < b.process; });
  return found;
}

}  // namespace minima::train
