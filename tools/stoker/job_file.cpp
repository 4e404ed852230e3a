#include "tools/stoker/job_file.hpp"

#include <filesystem>
#include <utility>

#include "messages/printable.hpp"
#include "scheduling/common/limits.hpp"
#include "scheduling/jobs/stage_spec.hpp"
#include "tools/stoker/job_stages.hpp"
#include "tools/stoker/job_value.hpp"
#include "tools/stoker/located_json.hpp"
#include "tools/stoker/spelling.hpp"
#include "tools/stoker/text_file.hpp"

namespace stoker {

namespace {

constexpr std::size_t stage_name_bytes_max = 255;
constexpr std::size_t path_bytes_max = 4095;
constexpr std::size_t input_line_bytes_max = std::size_t{16} * 1024 * 1024;
constexpr int split_mb_max = 1024 * 1024;

/// The file's name without folders and ending.
std::string default_name(const std::string& file) {
  auto result = std::filesystem::path{file}.stem().string();
  return result.empty() ? "job" : result;
}

// -- input --------------------------------------------------------------------

LinesInput lines_of(const JobValue& value) {
  LinesInput result;
  value.each("a list of lines", [&](const JobValue& x) {
    auto line = x.text(0, input_line_bytes_max);
    if (line.find('\n') != std::string::npos)
      x.fail("must be one line, and has a newline in it");
    result.lines.push_back(std::move(line));
  });
  if (result.lines.empty())
    value.must_be("a list of at least one line");
  if (result.lines.size() > tasks_max)
    value.must_be("a list of at most " + std::to_string(tasks_max) + " lines");
  return result;
}

std::vector<std::string> globs_of(const JobValue& value) {
  std::vector<std::string> result;
  for (const auto& x : value.list("a list of names or patterns of files"))
    result.push_back(x.text(1, path_bytes_max));
  if (result.empty())
    value.must_be("a list of at least one name or pattern");
  return result;
}

JobInput input_of(const JobValue& value) {
  FilesInput files;
  LinesInput lines;
  RangeInput range;
  std::optional<int> tasks;
  value.read(
      {{"files", [&](const auto& x) { files.globs = globs_of(x); }},
       {"split_mb",
        [&](const auto& x) {
          files.split_bytes
              = std::int64_t{x.whole(1, split_mb_max)} * 1024 * 1024;
        }},
       {"lines", [&](const auto& x) { lines = lines_of(x); }},
       {"tasks", [&](const auto& x) { tasks = x.whole(1, tasks_max); }},
       {"range", [&](const auto& x) { range.tasks = x.whole(1, tasks_max); }}});
  auto has = [&](std::string_view key) { return value.find(key).has_value(); };
  if (has("files") + has("lines") + has("range") != 1)
    value.fail("needs exactly one of 'files', 'lines' and 'range'");
  if (has("split_mb") && !has("files"))
    value.fail("has 'split_mb', which belongs to 'files'");
  if (has("tasks") && !has("lines"))
    value.fail("has 'tasks', which belongs to 'lines'");
  if (has("files"))
    return files;
  if (has("range"))
    return range;
  lines.tasks = tasks.value_or(static_cast<int>(lines.lines.size()));
  return lines;
}

// -- the rest of a stage ------------------------------------------------------

std::string stage_name_of(const JobValue& value) {
  auto result = value.text(1, stage_name_bytes_max);
  constexpr auto allowed = "abcdefghijklmnopqrstuvwxyz"
                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (result.find_first_not_of(allowed) != std::string::npos)
    value.must_be("made of letters, digits, '.', '_' and '-'");
  return result;
}

std::vector<std::string> command_of(const JobValue& value) {
  constexpr auto expected
      = "a list of texts: the program and its arguments, not empty";
  std::vector<std::string> result;
  std::size_t bytes = 0;
  for (const auto& x : value.list(expected)) {
    result.push_back(x.text(0, command_bytes_max));
    bytes += result.back().size() + 1;
  }
  if (result.empty() || result.front().empty())
    value.must_be(expected);
  if (bytes > command_bytes_max)
    value.fail("is longer than " + std::to_string(command_bytes_max)
               + " bytes");
  return result;
}

JobShuffle shuffle_of(const JobValue& value) {
  JobShuffle result;
  value.read(
      {{"partitions",
        [&](const auto& x) { result.partitions = x.whole(1, partitions_max); }},
       {"by", [&](const auto& x) {
          auto by = x.written();
          if (by != "key" && by != "round-robin")
            x.must_be(R"("key" or "round-robin")");
          result.by = by == "key" ? PartitionBy::key : PartitionBy::round_robin;
        }}});
  if (!value.find("partitions"))
    value.fail("needs 'partitions', their number");
  return result;
}

std::vector<std::string> hosts_of(const JobValue& value) {
  std::vector<std::string> result;
  for (const auto& x : value.list("a list of hosts"))
    result.push_back(x.text(1, id_bytes_max));
  if (result.size() > hosts_max)
    value.must_be("a list of at most " + std::to_string(hosts_max) + " hosts");
  return result;
}

std::map<std::string, std::string> env_of(const JobValue& value) {
  std::map<std::string, std::string> result;
  std::size_t bytes = 0;
  for (const auto& [name, x] : value.members()) {
    if (name.empty() || name.find('=') != std::string::npos
        || name.find('\0') != std::string::npos)
      x.fail("is no name of a variable");
    result[name] = x.text(0, command_bytes_max);
    bytes += name.size() + result[name].size() + 2;
  }
  if (bytes > command_bytes_max)
    value.fail("is longer than " + std::to_string(command_bytes_max)
               + " bytes");
  return result;
}

/// All but what it reads from, which may stand behind it.
JobStage stage_of(const JobValue& value) {
  JobStage result;
  result.line = value.line();
  value.read(
      {{"name", [&](const auto& x) { result.name = stage_name_of(x); }},
       {"input", [&](const auto& x) { result.input = input_of(x); }},
       {"from", [](const auto&) {}},
       {"command", [&](const auto& x) { result.command = command_of(x); }},
       {"shuffle", [&](const auto& x) { result.shuffle = shuffle_of(x); }},
       {"output",
        [&](const auto& x) { result.output = x.text(1, path_bytes_max); }},
       {"cores", [&](const auto& x) { result.cores = x.whole(1, cores_max); }},
       {"max_failures",
        [&](const auto& x) {
          result.max_failures = x.whole(1, max_failures_max);
        }},
       {"time_limit", [&](const auto& x) { result.time_limit = x.duration(); }},
       {"barrier", [&](const auto& x) { result.is_barrier = x.flag(); }},
       {"locality", [&](const auto& x) { result.locality = hosts_of(x); }},
       {"env", [&](const auto& x) { result.env = env_of(x); }},
       {"working_directory", [&](const auto& x) {
          result.working_directory = x.text(1, path_bytes_max);
        }}});
  if (result.command.empty())
    value.fail("needs 'command', the program and its arguments");
  return result;
}

// -- all stages ---------------------------------------------------------------

using StagePlaces = std::map<std::string, std::size_t, std::less<>>;

/// @param places Of all stages.
std::vector<std::size_t> from_of(const JobValue& value,
                                 const StagePlaces& places) {
  std::vector<std::size_t> result;
  std::vector<bool> is_there(places.size());
  for (const auto& x : value.list("a list of stages' names")) {
    auto name = x.text(0, stage_name_bytes_max);
    auto found = places.find(name);
    if (found == places.end()) {
      std::vector<std::string_view> names;
      for (const auto& [known, place] : places)
        names.emplace_back(known);
      x.fail("must be a stage's name, and there is no stage '" + name + "'"
             + did_you_mean(name, names));
    }
    if (is_there[found->second])
      x.fail("may be there once, and '" + name + "' is there twice");
    is_there[found->second] = true;
    result.push_back(found->second);
  }
  if (result.empty())
    value.must_be("a list of at least one stage's name");
  return result;
}

/// What messages about a stage begin with.
std::string label_of(const JobValue& stage, std::size_t i) {
  auto value = stage.find("name");
  auto name = value ? value->if_text() : std::nullopt;
  return name ? "stage '" + shortened(*name, 64) + "': "
              : "stage " + std::to_string(i + 1) + ": ";
}

std::vector<JobStage> stages_of(const JobValue& value) {
  auto values = value.list("a list of stages");
  if (values.empty() || values.size() > stages_max)
    value.must_be("a list of 1 to " + std::to_string(stages_max) + " stages");
  std::vector<JobStage> result;
  StagePlaces places;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto unnamed = values[i].called("", "stage " + std::to_string(i + 1));
    values[i] = unnamed.called(label_of(unnamed, i), "");
    result.push_back(stage_of(values[i]));
    if (result.back().name.empty())
      values[i].fail("needs 'name'");
    if (!places.emplace(result.back().name, i).second)
      values[i].fail("another stage has that name, too");
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (auto from = values[i].find("from"))
      result[i].from = from_of(*from, places);
  return result;
}

std::vector<JobSetting> conf_of(const JobValue& value,
                                const std::string& file) {
  std::vector<JobSetting> result;
  for (const auto& [name, x] : value.members())
    result.push_back(
        {name, x.written(), file + ':' + std::to_string(x.line())});
  return result;
}

JobFile job_of(const LocatedJson& json, const std::string& file) {
  JobFile result;
  result.name = default_name(file);
  JobValue job{json, "", "the job"};
  job.read({{"name",
             [&](const auto& x) { result.name = x.text(1, name_bytes_max); }},
            {"conf", [&](const auto& x) { result.conf = conf_of(x, file); }},
            {"stages", [&](const auto& x) { result.stages = stages_of(x); }}});
  if (result.stages.empty())
    job.fail("needs 'stages', a list");
  if (auto problem = find_stage_problem(result.stages)) {
    const auto& stage = result.stages[problem->stage];
    throw WrongJobFile{stage.line,
                       "stage '" + stage.name + "' " + problem->text};
  }
  return result;
}

} // namespace

Result<JobFile> parse_job_file(std::string_view text, const std::string& name) {
  auto json = parse_located_json(text, name);
  if (!json)
    return std::move(json).error();
  try {
    return job_of(*json, name);
  } catch (const WrongJobFile& e) {
    return error_at(name, e.line, e.what);
  }
}

Result<JobFile> read_job_file(const std::string& path) {
  auto text = read_text_file(path, "the job file");
  if (!text)
    return std::move(text).error();
  auto job = parse_job_file(*text, path);
  // A file to read was taken for a job file.
  auto begin = text->find_first_not_of(" \t\r\n");
  if (!job && begin != std::string::npos && (*text)[begin] != '{')
    return Error{job.error().code,
                 job.error().message
                     + "; a job file is JSON, and a file to read is named "
                       "with --input"};
  return job;
}

} // namespace stoker
