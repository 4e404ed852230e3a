#include "tools/stoker/zsh_completion.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "tools/stoker/completion_kinds.hpp"

namespace stoker {

namespace {

/// What completes values; the functions of commands stand behind it.
constexpr std::string_view zsh_functions = R"zsh(
# Ids that the master knows, as the variables of the environment say who that is.
_stoker_ids() { # _stoker_ids [--active] PREFIX...
  local -a ids
  local which=--all
  [[ $1 != --active ]] || { which=$1; shift }
  ids=(${(f)"$(stoker status $which --json --master-timeout 1s </dev/null 2>/dev/null |
    grep -oE "\"id\":\"(${(j:|:)@})-[^\"]*\"" | cut -d '"' -f 4)"})
  compadd -a ids
}

# What can be named as it runs, or has run: behind an application and a slash, its executors.
_stoker_programs() { # _stoker_programs [--active]
  local -a ids
  local app=${PREFIX%%/*}
  if [[ $PREFIX == */* && $app =~ '^app-[0-9-]+$' ]]; then
    ids=(${(f)"$(stoker status executors --app $app ${1:---all} --json --master-timeout 1s \
      </dev/null 2>/dev/null | grep -oE "\"app_id\":\"$app\",\"exec_id\":[0-9]+" |
      sed "s|.*:|$app/|")"})
    compadd -a ids
  else
    _stoker_ids $@ app driver
  fi
}

_stoker_values() { # _stoker_values KIND
  # _arguments puts options of its own before.
  local kind=${@[-1]}
  case $kind in
    file) _files ;;
    directory) _files -/ ;;
    application) _stoker_ids app ;;
    live-application) _stoker_ids --active app ;;
    worker) _stoker_ids worker ;;
    id) _stoker_ids app driver ;;
    live) _stoker_programs --active ;;
    output) _stoker_programs ;;
    variable) _parameters -g '*export*' ;;
    shown)
      compadd workers apps executors drivers jobs stages
      _stoker_ids app driver worker ;;
    command)
      # As if these words stood behind the program.
      words[1]=stoker
      _stoker ;;
    choice:*) compadd -- ${(s:,:)kind#choice:} ;;
    choices:*)
      # Those before stay.
      compset -P '*,'
      compadd -- ${(s:,:)kind#choices:} ;;
  esac
}

# When the file is loaded for its first completion, it is the function's text.
if [[ ${funcstack[1]-} == _stoker ]]; then
  _stoker "$@"
else
  compdef _stoker stoker
fi
)zsh";

/// Text between single quotes.
std::string zsh_quoted(std::string_view text) {
  std::string result = "'";
  for (auto c : text)
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  return result + "'";
}

/// Text in a specification of `_arguments`, where these signs mean something.
std::string zsh_plain(std::string_view text) {
  std::string result;
  for (auto c : text) {
    if (c == '\\' || c == ':' || c == '[' || c == ']')
      result += '\\';
    result += c;
  }
  return result;
}

std::string function_of(const DescribedCommand& command) {
  auto result = '_' + command.name;
  std::replace(result.begin(), result.end(), ' ', '_');
  return result;
}

/// ":FILE:_stoker_values file"
std::string zsh_value(const DescribedValue& value) {
  return ':' + zsh_plain(value.name) + ":_stoker_values "
         + zsh_plain(completion_kind(value));
}

/// One line for each name of an option. What was given is not offered again.
void print_zsh_option(std::ostream& out, const DescribedOption& option) {
  std::string all;
  for (const auto& x : option.names)
    all += (all.empty() ? "" : " ") + x;
  for (const auto& name : option.names) {
    auto line = option.repeated ? "*" + name : '(' + all + ')' + name;
    if (option.value.kind != ValueKind::none)
      // A short option may have its value in the same word, a long one behind a sign.
      line += name.starts_with("--") ? "=" : "+";
    line += '[' + zsh_plain(option.description) + ']';
    if (option.value.kind != ValueKind::none)
      line += zsh_value(option.value);
    out << " \\\n    " << zsh_quoted(line);
  }
}

void print_zsh_operand(std::ostream& out, const DescribedOption& operand) {
  std::string place = operand.repeated ? "*" : operand.required ? ":" : "::";
  auto value = zsh_value(operand.value);
  out << " \\\n    "
      << zsh_quoted(place == "*" ? place + value : place + value.substr(1));
}

/// A function that completes what follows a command. Those of commands below are called
/// with the words that follow theirs.
void print_zsh_command(std::ostream& out, const DescribedCommand& command) {
  out << function_of(command) << "() {\n";
  // 'commands' is a table of zsh's own, of programs, which what completes these reads.
  if (!command.commands.empty())
    out << "  local curcontext=$curcontext state line\n"
           "  local -a subcommands\n";
  // After `--`, or the program that a command starts, no option is one of ours.
  out << "  _arguments -s -S" << (command.commands.empty() ? "" : " -C")
      << (command.takes_program ? " -A '-*'" : "");
  for (const auto& x : command.options)
    print_zsh_option(out, x);
  for (const auto& x : command.operands)
    print_zsh_operand(out, x);
  if (command.takes_program)
    out << " \\\n    '(-)1:program:_command_names -e'"
           " \\\n    '*::arguments:_normal'";
  if (!command.commands.empty())
    out << " \\\n    '1:command:->command' \\\n    '*::arguments:->arguments'";
  out << '\n';
  if (!command.commands.empty()) {
    out << "  case $state in\n    command)\n      subcommands=(";
    for (const auto& x : command.commands)
      out << "\n        " << zsh_quoted(last_word(x) + ':' + x.description);
    out << ")\n      _describe command subcommands ;;\n"
           "    arguments)\n      case $line[1] in\n";
    for (const auto& x : command.commands)
      out << "        " << last_word(x) << ") " << function_of(x) << " ;;\n";
    out << "      esac ;;\n  esac\n";
  }
  out << "}\n\n";
  for (const auto& x : command.commands)
    print_zsh_command(out, x);
}

} // namespace

std::string zsh_completion(const DescribedCommand& program) {
  std::ostringstream out;
  out << "#compdef stoker\n"
         "# Completion of stoker for zsh, as 'stoker completion zsh' prints "
         "it.\n\n";
  print_zsh_command(out, program);
  out << zsh_functions.substr(1);
  return out.str();
}

} // namespace stoker
