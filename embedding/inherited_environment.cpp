#include "embedding/inherited_environment.hpp"

#include <algorithm>
#include <array>
#include <string_view>

extern char** environ;

namespace stoker {

namespace {

constexpr std::string_view of_stoker = "STOKER_";

constexpr std::array<std::string_view, 37> usual{"PATH",
                                                 "HOME",
                                                 "USER",
                                                 "LOGNAME",
                                                 "SHELL",
                                                 "HOSTNAME",
                                                 "LANG",
                                                 "LANGUAGE",
                                                 "LC_*",
                                                 "TZ",
                                                 "TMPDIR",
                                                 "XDG_RUNTIME_DIR",
                                                 "CLASSPATH",
                                                 "LD_LIBRARY_PATH",
                                                 "SSL_CERT_FILE",
                                                 "SSL_CERT_DIR",
                                                 "KRB5*",
                                                 "JAVA_*",
                                                 "SPARK_*",
                                                 "HADOOP_*",
                                                 "YARN_*",
                                                 "PYSPARK_*",
                                                 "PYTHON*",
                                                 "PYENV_*",
                                                 "VIRTUAL_ENV",
                                                 "CONDA_*",
                                                 "CUDA_*",
                                                 "NVIDIA_*",
                                                 "ROCR_*",
                                                 "HIP_*",
                                                 "GPU_DEVICE_ORDINAL",
                                                 "ZE_*",
                                                 "NCCL_*",
                                                 "OMP_*",
                                                 "MKL_*",
                                                 "OPENBLAS_*",
                                                 "MALLOC_*"};

bool covers(std::string_view pattern, std::string_view name) {
  if (pattern == "ALL" || pattern == name)
    return true;
  return pattern.ends_with('*')
         && name.starts_with(pattern.substr(0, pattern.size() - 1));
}

} // namespace

Status check_passed_variable(const std::string& name) {
  auto letters = std::string_view{name};
  if (letters.ends_with('*'))
    letters.remove_suffix(1);
  if (letters.empty() || letters.find_first_of("=*,") != std::string_view::npos)
    return invalid("'" + name.substr(0, name.find('='))
                   + "' is no name of a variable: it takes NAME, PREFIX* or "
                     "ALL");
  if (letters.starts_with(of_stoker))
    return invalid("'" + name + "' is Stoker's own: programs do not get it");
  return {};
}

std::map<std::string, std::string>
inherited_environment(const std::vector<std::string>& more) {
  std::map<std::string, std::string> result;
  for (auto** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text{*entry};
    auto equals = text.find('=');
    if (equals == std::string_view::npos || text.starts_with(of_stoker))
      continue;
    auto name = text.substr(0, equals);
    auto is_named = [name](std::string_view x) { return covers(x, name); };
    if (std::ranges::any_of(usual, is_named)
        || std::ranges::any_of(more, is_named))
      result.emplace(name, text.substr(equals + 1));
  }
  return result;
}

} // namespace stoker
