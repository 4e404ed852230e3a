#pragma once

// Described structs as text for people: each field that says something, as
// `field=value`. For traces, logs and failing tests.

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "messages/connection_stamp.hpp"
#include "messages/end_number.hpp"
#include "messages/job_ids.hpp"
#include "messages/json_text.hpp"
#include "messages/secrets.hpp"
#include "messages/state_question.hpp"

namespace stoker {

namespace render_detail {

/// What only keeps messages in order.
template <class T>
inline constexpr bool is_numbering
    = std::is_same_v<
          T,
          StateQuestion> || std::is_same_v<T, ConnectionStamp> || std::is_same_v<T, EndNumber>;

/// Whether a value says nothing: not set, empty, or nothing to people; inside of
/// a field, false as well.
struct Blank {
  static bool null() {
    return true;
  }
  [[nodiscard]] bool boolean(bool x) const {
    return nested && !x;
  }
  template <class T>
  static bool integer(T) {
    return false;
  }
  static bool floating(double) {
    return false;
  }
  static bool text(std::string_view x) {
    return x.empty();
  }
  template <class T>
  static bool list(const T& xs) {
    return xs.empty();
  }
  template <class T>
  static bool map(const T& xs) {
    return xs.empty();
  }
  template <class T>
  static bool record(const T&) {
    return !has_fields<T> || is_numbering<T>;
  }

  bool nested;
};

template <class T>
void render_value(std::string& out, const T& x);

/// Writes `name=value` for each field that says something.
class FieldWriter {
public:
  FieldWriter(std::string& out, bool nested) : out_(out), nested_(nested) {
  }

  template <class T>
  void add(std::string_view name, const T& value) {
    if (visit_value(value, Blank{nested_}))
      return;
    if (!first_)
      out_ += ' ';
    first_ = false;
    out_.append(name) += '=';
    render_value(out_, value);
  }

private:
  std::string& out_;
  bool nested_;
  bool first_ = true;
};

} // namespace render_detail

/// The fields that say something, but for one that is named.
template <class T>
void render_fields(std::string& out, const T& x, bool nested,
                   std::string_view but = {}) {
  render_detail::FieldWriter fields{out, nested};
  for_each_field(x, [&](auto field, const auto& value) {
    if constexpr (field.is_secret)
      fields.add(field.name, hide_values(value));
    else if (field.name != but)
      fields.add(field.name, value);
  });
}

namespace render_detail {

struct ValueRenderer {
  void null() const {
    out += "null";
  }
  void boolean(bool x) const {
    append_json(out, x);
  }
  template <class T>
  void integer(T x) const {
    append_number(out, x);
  }
  void floating(double x) const {
    append_json(out, x);
  }
  void text(const char* x) const {
    out += x;
  }
  void text(const std::string& x) const {
    // Words of a sentence are held together by quotes.
    if (x.find(' ') == std::string::npos)
      out += x;
    else
      append_json_string(out, x);
  }
  template <class T>
  void list(const std::vector<T>& xs) const {
    out += '[';
    for (const auto& element : xs) {
      if (&element != xs.data())
        out += ' ';
      render_value(out, element);
    }
    out += ']';
  }
  template <class T>
  void map(const std::map<std::string, T>& xs) const {
    out += '{';
    FieldWriter fields{out, true};
    for (const auto& [name, value] : xs)
      fields.add(name, value);
    out += '}';
  }
  template <class T>
  void record(const T& x) const {
    out += '{';
    render_fields(out, x, true);
    out += '}';
  }
  /// "3/17.0"
  void record(const TaskAttempt& x) const {
    append_number(out, x.stage.value);
    out += '/';
    append_number(out, x.task);
    out += '.';
    append_number(out, x.attempt);
  }

  std::string& out;
};

template <class T>
void render_value(std::string& out, const T& x) {
  visit_value(x, ValueRenderer{out});
}

} // namespace render_detail

} // namespace stoker
