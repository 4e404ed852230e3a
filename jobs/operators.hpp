#pragma once

// The operators that this program has, by name: those that its own text uses, so that it
// knows them as executor, too.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/functions.hpp"
#include "jobs/stage_program.hpp"
#include "jobs/stream.hpp"

namespace stoker::jobs {

/// What an operator is made of. Notes what does not fit; then the operator that was made
/// is of no use.
class Operands {
public:
  Operands(const ProgramNode& node, std::uint32_t place,
           std::vector<const Operator*> parents);

  /// A parent's elements. Null: there are none of that type.
  template <class T>
  const Stream<T>* stream(std::size_t parent = 0) {
    const auto* result = parent < parents_.size()
                             ? dynamic_cast<const Stream<T>*>(parents_[parent])
                             : nullptr;
    if (result == nullptr)
      note("takes elements of another type");
    return result;
  }

  /// What its function holds.
  template <class F>
  F function() {
    return function<F>(node_.state);
  }
  template <class F>
  F function(std::string_view state) {
    F result{};
    if (!restore(state, result))
      note("got a state that it does not understand");
    return result;
  }

  /// What the operator itself holds.
  template <class T>
  T state() {
    auto result = from_bytes<T>(node_.state);
    if (!result)
      note("got a state that it does not understand");
    return result ? *std::move(result) : T{};
  }

  [[nodiscard]] std::uint32_t place() const noexcept {
    return place_;
  }
  [[nodiscard]] std::size_t parents() const noexcept {
    return parents_.size();
  }

  /// @pre the operator reads one
  int dependency();

  [[nodiscard]] const std::optional<Error>& error() const noexcept {
    return error_;
  }

private:
  void note(const char* why);

  const ProgramNode& node_;
  const std::uint32_t place_;
  const std::vector<const Operator*> parents_;
  std::optional<Error> error_;
};

using MakeOperator = std::unique_ptr<Operator> (*)(Operands&);

/// Operators by name. May be used by any thread.
class OperatorTable {
public:
  /// Two of one name: notes that, for `check`. The same one again changes nothing.
  void add(const std::string& name, MakeOperator make);

  /// Null: this program has none of that name.
  [[nodiscard]] MakeOperator find(const std::string& name) const;

  /// Fails if two operators have one name.
  [[nodiscard]] Status check() const;

private:
  mutable std::mutex mutex_;
  std::map<std::string, MakeOperator> operators_;
  std::optional<std::string> ambiguous_;
};

/// Those of this program.
OperatorTable& operators();

/// Names of operators as people read them.
std::string readable(const std::string& name);

namespace detail {

template <class Op>
std::unique_ptr<Operator> make_operator(Operands& x) {
  return std::make_unique<Op>(x);
}

template <class Op>
struct Registration {
  static bool add() {
    operators().add(Op::name(), &make_operator<Op>);
    return true;
  }

  /// Is set before the main function begins in each program whose text uses it.
  static inline const bool done = add();
};

} // namespace detail

/// The name of an operator, which this has the program know.
template <class Op>
std::string registered() {
  static_cast<void>(&detail::Registration<Op>::done);
  return Op::name();
}

/// "map<...>": the operator's kind, and the types that make it what it is.
template <class... T>
std::string operator_name(const char* kind) {
  std::string result = kind;
  ((result += ' ', result += type_name<T>()), ...);
  return result;
}

} // namespace stoker::jobs
