// Files that say what a job does.

#include "tools/stoker/job_file.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tools/stoker/job_stages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using stoker::test::require;
  auto job
      = stoker::parse_job_file(stoker::test::text_of(data, size), "j.json");
  if (!job) {
    const auto& message = job.error().message;
    require(message.starts_with("j.json:"));
    require(message.find('\n') == std::string::npos);
    return 0;
  }
  require(!job->stages.empty());
  for (const auto& stage : job->stages) {
    require(!stage.name.empty() && !stage.command.empty());
    require(stage.from.empty()
            != std::holds_alternative<std::monostate>(stage.input));
    for (auto parent : stage.from)
      require(parent < job->stages.size());
  }
  require(!stoker::find_stage_problem(job->stages));
  return 0;
}
