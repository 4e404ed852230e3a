#include "jobs/operators.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <utility>

namespace stoker::jobs {

Operands::Operands(const ProgramNode& node, std::uint32_t place,
                   std::vector<const Operator*> parents)
    : node_(node), place_(place), parents_(std::move(parents)) {
}

int Operands::dependency() {
  if (node_.dependency < 0)
    note("was not told which stage it reads");
  return node_.dependency;
}

void Operands::note(const char* why) {
  if (!error_)
    error_ = invalid("the operator '" + readable(node_.name) + "' " + why);
}

void OperatorTable::add(const std::string& name, MakeOperator make) {
  std::lock_guard guard{mutex_};
  auto [place, is_new] = operators_.emplace(name, make);
  if (!is_new && place->second != make)
    ambiguous_ = name;
}

MakeOperator OperatorTable::find(const std::string& name) const {
  std::lock_guard guard{mutex_};
  auto found = operators_.find(name);
  return found == operators_.end() ? nullptr : found->second;
}

Status OperatorTable::check() const {
  std::lock_guard guard{mutex_};
  if (!ambiguous_)
    return {};
  return Error{Errc::in_use, "this program has two functions of one name: '"
                                 + readable(*ambiguous_)
                                 + "'; give one of them another, with "
                                   "stoker::jobs::named<\"...\">(function)"};
}

OperatorTable& operators() {
  static OperatorTable result;
  return result;
}

std::string readable(const std::string& name) {
  std::string result;
  for (std::size_t at = 0; at < name.size();) {
    auto end = std::min(name.find(' ', at), name.size());
    auto word = name.substr(at, end - at);
    auto status = 0;
    std::unique_ptr<char, void (*)(void*)> text{
        abi::__cxa_demangle(word.c_str(), nullptr, nullptr, &status),
        std::free};
    // The name of the operator's kind is no type's.
    auto is_type = at > 0 && status == 0 && text;
    result += is_type ? text.get() : word.c_str();
    at = end + 1;
    if (at < name.size())
      result += ' ';
  }
  return result;
}

} // namespace stoker::jobs
