#include "tools/stoker/bash_completion.hpp"

#include <sstream>
#include <string_view>

#include "tools/stoker/completion_kinds.hpp"

namespace stoker {

namespace {

/// How the completion of one word works; what commands there are stands before it.
constexpr std::string_view bash_functions = R"bash(
# Ids that the master knows, as the variables of the environment say who that is.
_stoker_ids() { # _stoker_ids [--active] PREFIX...
  local IFS='|' which=--all
  [[ $1 != --active ]] || { which=$1; shift; }
  stoker status $which --json --master-timeout 1s </dev/null 2>/dev/null |
    grep -oE "\"id\":\"($*)-[^\"]*\"" | cut -d '"' -f 4
}

# What can be named as it runs, or has run: behind an application and a slash, its executors.
_stoker_programs() { # _stoker_programs [--active]
  local app=${written%%/*}
  if [[ $written == */* && $app =~ ^app-[0-9-]+$ ]]; then
    stoker status executors --app "$app" "${1:---all}" --json --master-timeout 1s \
      </dev/null 2>/dev/null | grep -oE "\"app_id\":\"$app\",\"exec_id\":[0-9]+" |
      sed "s|.*:|$app/|"
  else
    _stoker_ids "$@" app driver
  fi
}

_stoker_words() { # _stoker_words WORD...: those that begin as what is written
  local IFS=$'\n'
  COMPREPLY+=($(compgen -W "$*" -- "$written"))
}

_stoker_values() { # _stoker_values KIND
  local IFS=$'\n'
  case $1 in
    file)
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "$written")) ;;
    directory)
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -d -- "$written")) ;;
    application) _stoker_words $(_stoker_ids app) ;;
    live-application) _stoker_words $(_stoker_ids --active app) ;;
    worker) _stoker_words $(_stoker_ids worker) ;;
    id) _stoker_words $(_stoker_ids app driver) ;;
    live) _stoker_words $(_stoker_programs --active) ;;
    output) _stoker_words $(_stoker_programs) ;;
    variable) COMPREPLY+=($(compgen -e -- "$written")) ;;
    shown)
      _stoker_words workers apps executors drivers jobs stages
      _stoker_words $(_stoker_ids app driver worker) ;;
    command)
      # Those that may follow the words between our own command and this one.
      local word of=stoker
      for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do of+=" $word"; done
      _stoker_of "$of"
      _stoker_words ${commands// /$'\n'} ;;
    choice:*)
      local words=${1#choice:}
      _stoker_words ${words//,/$'\n'} ;;
    choices:*)
      # Those before stay.
      local words=${1#choices:} before=''
      [[ $written != *,* ]] || before=${written%,*},
      words=${words//,/$'\n'$before}
      _stoker_words "$before${words}" ;;
  esac
}

# A program to start, whose arguments it completes itself if it can.
_stoker_program() { # _stoker_program PLACE OF ITS NAME
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif ((COMP_CWORD == $1)); then
    local IFS=$'\n'
    # A program may be in several directories.
    COMPREPLY=($(compgen -c -- "$written" | sort -u))
  else
    _stoker_values file
  fi
}

_stoker() {
  local commands options takes operand program awaited='' word i
  local path=stoker written=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  _stoker_of "$path"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ -n $awaited ]]; then
      # In --option=value the sign is a word.
      [[ $word == = ]] || awaited=''
    elif [[ $word == -- && -n $program ]]; then
      _stoker_program $((i + 1))
      return
    elif [[ $word == -* ]]; then
      if [[ $takes == *" $word="* ]]; then
        awaited=${takes#*" $word="}
        awaited=${awaited%% *}
      fi
    elif [[ " $commands " == *" $word "* ]]; then
      path+=" $word"
      _stoker_of "$path"
    elif [[ -n $program ]]; then
      _stoker_program "$i"
      return
    fi
  done
  [[ $written != = ]] || written=''
  if [[ -n $awaited ]]; then
    _stoker_values "$awaited"
  elif [[ $written == -* ]]; then
    _stoker_words ${options// /$'\n'}
  elif [[ -n $commands ]]; then
    _stoker_words ${commands// /$'\n'}
  elif [[ -n $program ]]; then
    _stoker_program "$COMP_CWORD"
  else
    _stoker_values "$operand"
  fi
}

complete -F _stoker stoker
)bash";

void append_word(std::string& list, const std::string& word) {
  list += (list.empty() ? "" : " ") + word;
}

/// The variables that describe one command, and those below it.
void print_bash_command(std::ostream& out, const DescribedCommand& command) {
  std::string commands;
  std::string options;
  std::string takes;
  for (const auto& x : command.commands)
    append_word(commands, last_word(x));
  for (const auto& option : command.options)
    for (const auto& name : option.names) {
      append_word(options, name);
      if (option.value.kind != ValueKind::none)
        append_word(takes, name + '=' + completion_kind(option.value));
    }
  auto operand = command.operands.empty()
                     ? std::string{}
                     : completion_kind(command.operands.front().value);
  out << "    '" << command.name << "')\n"
      << "      commands='" << commands << "'\n"
      << "      options='" << options << "'\n"
      << "      takes=' " << takes << " '\n"
      << "      operand='" << operand << "'\n"
      << "      program=" << (command.takes_program ? "yes" : "") << " ;;\n";
  for (const auto& x : command.commands)
    print_bash_command(out, x);
}

} // namespace

std::string bash_completion(const DescribedCommand& program) {
  std::ostringstream out;
  out << "# Completion of stoker for bash, as 'stoker completion bash' prints "
         "it.\n"
         "# shellcheck shell=bash "
         "disable=SC2034,SC2046,SC2086,SC2206,SC2207\n\n"
         "# What follows a command.\n"
         "_stoker_of() { # _stoker_of COMMAND\n"
         "  case $1 in\n";
  print_bash_command(out, program);
  out << "  esac\n}\n" << bash_functions;
  return out.str();
}

} // namespace stoker
