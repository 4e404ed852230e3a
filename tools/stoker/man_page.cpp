#include "tools/stoker/man_page.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <vector>

namespace stoker {

namespace {

using Lines = std::vector<std::string>;

/// Text as troff prints it: a dash that can be copied, no command of troff's own.
std::string escaped(std::string_view text) {
  std::string result;
  for (auto c : text)
    switch (c) {
    case '\\':
      result += "\\e";
      break;
    case '-':
      result += "\\-";
      break;
    case '\'':
      result += "\\(aq";
      break;
    case '`':
      result += "\\(ga";
      break;
    case '^':
      result += "\\(ha";
      break;
    case '~':
      result += "\\(ti";
      break;
    default:
      result += c;
    }
  return result.starts_with('.') ? "\\&" + result : result;
}

std::string bold(std::string_view text) {
  return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + escaped(text) + "\\fR";
}

Lines lines_of(const std::string& text) {
  Lines result;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    result.push_back(line);
  return result;
}

/// Paragraphs of help, which an empty line ends.
std::vector<Lines> paragraphs_of(const std::string& text) {
  std::vector<Lines> result;
  auto open = false;
  for (auto& line : lines_of(text)) {
    if (!line.empty() && !open)
      result.emplace_back();
    open = !line.empty();
    if (open)
      result.back().push_back(line);
  }
  return result;
}

bool is_indented(const std::string& line) {
  return line.starts_with(' ');
}

/// Lines that begin with a space stay as they are, others are filled.
void print_lines(std::ostream& out, const Lines& lines) {
  auto as_they_are = false;
  for (const auto& line : lines) {
    if (is_indented(line) != as_they_are) {
      as_they_are = !as_they_are;
      if (as_they_are && &line != &lines.front())
        out << ".PP\n";
      out << (as_they_are ? ".nf\n" : ".fi\n");
    }
    out << escaped(line) << '\n';
  }
  if (as_they_are)
    out << ".fi\n";
}

/// A sentence of help may end with a full stop, or may not.
std::string without_stop(const std::string& text) {
  return text.substr(0, text.find_last_not_of('.') + 1);
}

/// Which section a paragraph of help belongs to.
std::string section_of(const Lines& paragraph) {
  const auto& first = paragraph.front();
  if (first.starts_with("Example"))
    return "EXAMPLES";
  if (first.starts_with("Exit codes:"))
    return "EXIT STATUS";
  return "DESCRIPTION";
}

/// What stands under a heading needs not to say it again.
Lines without_heading(Lines paragraph) {
  auto& first = paragraph.front();
  if (first == "Examples:" || first == "Example:")
    paragraph.erase(paragraph.begin());
  else if (first.starts_with("Exit codes: "))
    first = first.substr(std::string_view{"Exit codes: "}.size());
  return paragraph;
}

void print_section(std::ostream& out, const std::string& section,
                   const std::vector<Lines>& paragraphs) {
  auto first = section != "DESCRIPTION";
  for (const auto& x : paragraphs) {
    if (section_of(x) != section)
      continue;
    auto lines = without_heading(x);
    if (first)
      out << ".SH " << section << '\n';
    else
      out << ".PP\n";
    first = false;
    print_lines(out, lines);
  }
}

/// "--conf NAME=VALUE", in the type that pages have for it.
std::string heading_of(const DescribedOption& option) {
  std::string result;
  for (const auto& name : option.names)
    result += (result.empty() ? "" : ", ") + bold(name);
  if (!option.value.name.empty())
    result += (result.empty() ? "" : " ") + italic(option.value.name);
  if (option.repeated)
    result += " ...";
  return result;
}

void print_option(std::ostream& out, const DescribedOption& option) {
  out << ".TP\n" << heading_of(option) << '\n';
  out << escaped(without_stop(option.description)) << ".\n";
  if (!option.value.choices.empty()) {
    out << "One of";
    for (const auto& x : option.value.choices)
      out << (&x == &option.value.choices.front() ? " " : ", ") << bold(x);
    out << ".\n";
  }
  if (!option.default_value.empty())
    out << "Default: " << bold(option.default_value) << ".\n";
  if (!option.variable.empty())
    out << "Environment: " << bold(option.variable) << ".\n";
}

void print_options(std::ostream& out, const char* section,
                   const std::vector<DescribedOption>& options) {
  if (options.empty())
    return;
  out << ".SH " << section << '\n';
  for (const auto& x : options)
    print_option(out, x);
}

void print_commands(std::ostream& out, const DescribedCommand& command) {
  if (command.commands.empty())
    return;
  out << ".SH COMMANDS\n";
  for (const auto& x : command.commands)
    out << ".TP\n"
        << bold(man_page_name(x)) << "(1)\n"
        << escaped(x.description) << ".\n";
}

void print_see_also(std::ostream& out, const DescribedCommand& command,
                    const DescribedCommand& program) {
  if (command.name == program.name)
    return;
  out << ".SH SEE ALSO\n.BR " << escaped(man_page_name(program)) << " (1)\n";
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  return text;
}

} // namespace

std::string man_page_name(const DescribedCommand& command) {
  auto result = command.name;
  std::replace(result.begin(), result.end(), ' ', '-');
  return result;
}

std::string man_page(const DescribedCommand& command,
                     const DescribedCommand& program,
                     const std::string& version) {
  std::ostringstream out;
  auto name = man_page_name(command);
  auto paragraphs = paragraphs_of(command.footer);
  auto description = escaped(without_stop(command.description));
  // It is a page of a version, not of a day.
  out << ".TH " << escaped(upper(name)) << R"( 1 "" ")" << escaped(version)
      << "\" \"Stoker\"\n"
      // What people copy, as names of variables, stays in one piece.
      << ".nh\n"
      << ".SH NAME\n"
      << escaped(name) << " \\- " << description << '\n'
      << ".SH SYNOPSIS\n"
      << bold(command.name)
      << escaped(command.usage.substr(command.name.size())) << '\n'
      << ".SH DESCRIPTION\n"
      << description << ".\n";
  print_section(out, "DESCRIPTION", paragraphs);
  print_options(out, "OPERANDS", command.operands);
  print_options(out, "OPTIONS", command.options);
  print_commands(out, command);
  print_section(out, "EXIT STATUS", paragraphs);
  print_section(out, "EXAMPLES", paragraphs);
  print_see_also(out, command, program);
  return out.str();
}

} // namespace stoker
