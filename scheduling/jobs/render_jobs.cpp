#include "scheduling/jobs/render_jobs.hpp"

#include "scheduling/common/render_fields.hpp"
#include "scheduling/jobs/job_names.hpp"

namespace stoker {

namespace {

struct JobRenderer {
  template <class T>
  void operator()(const T& x) const {
    out += message_name<T>;
    auto named = out.size();
    out += ' ';
    render_fields(out, x, false);
    if (out.size() == named + 1)
      out.pop_back();
  }
  void operator()(const TellOutputs& x) const {
    (out += message_name<TellOutputs>) += " exec_id=";
    append_number(out, x.exec_id);
    out += ' ';
    render_fields(out, *x.outputs, false);
  }

  std::string& out;
};

} // namespace

std::string to_string(const JobsEvent& x) {
  std::string result;
  std::visit(JobRenderer{result}, x);
  return result;
}

std::string to_string(const JobsEffect& x) {
  std::string result;
  append_to(result, x);
  return result;
}

void append_to(std::string& out, const JobsEffect& x) {
  std::visit(JobRenderer{out}, x);
}

} // namespace stoker
