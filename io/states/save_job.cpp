#include <minima/io/states/save_job.h>

#include <minima/io/files/crc32c.h>
#include <minima/io/files/format_error.h>
#include <minima/io/states/channel.h>
#include <minima/io/states/folder_names.h>
#include <minima/io/states/publish_state.h>
#include <minima/io/states/rank_file.h>
#include <minima/io/states/saved_state.h>
#include <minima/io/states/state_index.h>
#include <minima/io/states/write_rank_file.h>
#include <minima/io/text/json.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

/// The ranks' states do not fit each other: trying again would not help.
class Disagreement : public Error {
  using Error::Error;
};

std::string random_id() {
  std::random_device source;
  return crc_digits(source()) + crc_digits(source());
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// Ranks talk to each other in JSON.

Json failure(const std::string& error, bool may_retry = true) {
  return Json::object({{"error", printable(error)}, {"retry", may_retry}});
}

Json report_of(const WrittenFile& written, const SaveJob& job, int ranks) {
  Json report = Json::object({{"bytes", written.bytes}, {"crc32c", written.start_crc}});
  if (ranks == 1) return report;
  Json sums = Json::object();
  for (const auto& [name, text] : job.values.texts()) sums.set(name, crc32c(text));
  report.set("values", std::move(sums));
  report.set("tensors", job.tensors);
  report.set("plan", job.plan);
  return report;
}

/// Throws if values that are said to be replicated differ: chance would decide whose are kept.
void compare_reports(const Json& first, const Json& other, int rank) {
  if (!(first.at("plan") == other.at("plan")))
    throw Disagreement(str("rank ", rank, ": its ", other.at("tensors").integer(),
                           " replicated tensors are not the same as rank 0's ", first.at("tensors").integer(),
                           ": names, order, dtypes, shapes and memory orders must be equal on all ranks"));
  const auto& ours = first.at("values").members();
  const auto& theirs = other.at("values").members();
  for (std::size_t i = 0; i < ours.size() || i < theirs.size(); ++i) {
    if (i < ours.size() && i < theirs.size() && ours[i].first == theirs[i].first && ours[i].second == theirs[i].second)
      continue;
    const std::string& name = i < ours.size() ? ours[i].first : theirs[i].first;
    throw Disagreement(str("rank ", rank, ": the value ", printable(name),
                           " differs from rank 0's; save what ranks have of their own as `own`"));
  }
}

StateIndex index_of(const SaveJob& job, const std::string& id, const std::vector<std::string>& reports) {
  StateIndex index;
  index.id = id;
  index.step = job.step;
  index.time = utc_now();
  index.metric = job.metric;
  index.values = job.values;
  const auto ranks = static_cast<int>(reports.size());
  std::vector<Json> parsed;
  for (int rank = 0; rank < ranks; ++rank) {
    parsed.push_back(Json::parse(reports[static_cast<std::size_t>(rank)], str("report of rank ", rank)));
    const Json& report = parsed.back();
    if (const Json* const error = report.find("error")) {
      const std::string text = str("rank ", rank, ": ", error->string());
      if (!report.at("retry").boolean()) throw Disagreement(text);
      throw FileError(text);
    }
    if (rank > 0) compare_reports(parsed[0], report, rank);
    index.files.push_back({rank_file_name(rank, ranks), report.at("bytes").unsigned_integer(),
                           static_cast<std::uint32_t>(report.at("crc32c").unsigned_integer())});
  }
  return index;
}

/// Rank 0 reads the headers of all files. Returns the state's name.
std::string commit(const SaveJob& job, const std::string& written, const StateIndex& index) {
  try {
    SavedState::open_files(written, index);
  } catch (const FormatError& error) {
    throw Disagreement(str("what the ranks have written is no whole state: ", error.what()));
  } catch (const FileError& error) {
    throw FileError(str(error.what(), index.files.size() > 1 ? "; do all ranks write to the same file system?" : ""));
  }
  return publish_state(job.folder, written, index);
}

/// Rank 0's part, when all have reported. Returns its word.
Json conclude(const SaveJob& job, const std::string& written, const std::string& id,
              const std::vector<std::string>& reports) {
  try {
    const StateIndex index = index_of(job, id, reports);
    try {
      return Json::object({{"name", commit(job, written, index)}});
    } catch (const Disagreement&) {
      throw;
    } catch (const std::exception& error) {
      return failure(str("rank 0: ", error.what()));
    }
  } catch (const Disagreement& error) {
    return failure(error.what(), false);
  } catch (const std::exception& error) {
    return failure(error.what());
  }
}

Attempt failed(const Json& word) {
  Attempt attempt;
  attempt.may_retry = word.at("retry").boolean();
  attempt.error = word.at("error").string();
  return attempt;
}

}  // namespace

Attempt attempt_save(Channel& channel, const SaveJob& job) {
  const bool is_first = channel.rank() == 0;
  Json word;
  if (is_first) try {
      remove_temporaries(job.folder);
      const std::string id = random_id();
      make_folder(str(job.folder, "/", temporary_name(job.step, id)));
      word = Json::object({{"id", id}});
    } catch (const std::exception& error) {
      word = failure(str("rank 0: ", error.what()));
    }
  word = Json::parse(channel.announce(word.text()), "rank 0's word");
  if (word.find("error")) return failed(word);

  const std::string id = word.at("id").string();
  const std::string hidden = temporary_name(job.step, id), folder = str(job.folder, "/", hidden);
  const std::string path = str(folder, "/", rank_file_name(channel.rank(), channel.size()));
  Json report;
  WrittenFile written;
  if (!job.refusal.empty()) report = failure(job.refusal, false);
  else try {
      if (!is_first) make_folder(folder);  // where rank 0's is not seen yet
      const SaveIdentity identity{.id = id, .step = job.step, .rank = channel.rank(), .ranks = channel.size()};
      written = write_rank_file(path, job.file, identity, job.block, job.bytes_per_second);
      report = report_of(written, job, channel.size());
    } catch (const std::exception& error) {
      report = failure(error.what());
    }
  try {
    const std::vector<std::string> reports = channel.collect(report.text());
    if (is_first) word = conclude(job, folder, id, reports);
    word = Json::parse(channel.announce(word.text()), "rank 0's word");
  } catch (...) {
    if (is_first) remove_state(job.folder, hidden);
    throw;
  }
  if (!word.find("error"))
    return {.saved = true, .may_retry = false, .error = {}, .name = word.at("name").string(), .bytes = written.bytes};
  if (is_first) {
    remove_state(job.folder, hidden);
  } else {  // where rank 0 does not see it
    ::unlink(path.c_str());
    ::rmdir(folder.c_str());
  }
  return failed(word);
}

}  // namespace minima::detail
