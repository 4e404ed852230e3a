#include "spark/field_reader.hpp"

#include "spark/wire_error.hpp"

namespace stoker::spark {

FieldReader::FieldReader(ScalaReader& in, NodeId id, std::string_view what)
    : in_(in), id_(id), what_(what), object_(in.view(id)) {
  if (!object_.is_object())
    throw WireError{std::string{what} + " is no object"};
}

template <class Read>
auto FieldReader::named(std::string_view name, Read read) const {
  try {
    return read();
  } catch (const WireError& e) {
    throw WireError{std::string{what_} + '.' + std::string{name} + ' '
                    + e.what()};
  }
}

JavaValue FieldReader::value(std::string_view name) const {
  if (auto found = object_.field(name))
    return *found;
  throw WireError{"is missing"};
}

NodeId FieldReader::reference(std::string_view name) const {
  return named(name, [&] {
    auto x = value(name);
    if (!x.is_reference())
      throw WireError{"is a number"};
    return x.node();
  });
}

FieldReader FieldReader::object(std::string_view name) const {
  auto found = reference(name);
  return named(name, [&] {
    if (found == null_node)
      throw WireError{"is null"};
    return FieldReader{in_, found, name};
  });
}

std::string FieldReader::text(std::string_view name) const {
  return named(name, [&] { return in_.text(value(name).node()); });
}

std::string FieldReader::text_or_empty(std::string_view name) const {
  return reference(name) == null_node ? std::string{} : text(name);
}

std::int32_t FieldReader::number(std::string_view name) const {
  return named(name, [&] { return in_.number(value(name)); });
}

std::int64_t FieldReader::long_number(std::string_view name) const {
  return named(name, [&] { return in_.whole_number(value(name)); });
}

double FieldReader::floating_number(std::string_view name) const {
  return named(name, [&] { return in_.floating_number(value(name)); });
}

bool FieldReader::truth(std::string_view name) const {
  return named(name, [&] {
    auto x = value(name);
    if (x.type != 'Z')
      throw WireError{"is no truth value"};
    return x.slot.bits != 0;
  });
}

std::optional<std::string>
FieldReader::optional_text(std::string_view name) const {
  return named(name, [&] { return in_.optional_text(value(name).node()); });
}

std::optional<std::int32_t>
FieldReader::optional_number(std::string_view name) const {
  return named(name, [&] { return in_.optional_number(value(name).node()); });
}

NodeId FieldReader::optional_reference(std::string_view name) const {
  return named(name, [&] {
    auto found = in_.option(value(name).node());
    return found ? found->node() : null_node;
  });
}

std::int32_t FieldReader::ordinal(std::string_view name,
                                  std::int32_t count) const {
  return named(name, [&] {
    auto result = in_.enum_value(value(name).node()).ordinal;
    if (result < 0 || result >= count)
      throw WireError{"has the unknown value " + std::to_string(result)};
    return result;
  });
}

std::vector<std::string> FieldReader::texts(std::string_view name) const {
  return named(name, [&] { return in_.texts(value(name).node()); });
}

std::map<std::string, std::string>
FieldReader::text_map(std::string_view name) const {
  return named(name, [&] { return in_.text_map(value(name).node()); });
}

ScalaReader::Elements FieldReader::elements(std::string_view name) const {
  return named(name, [&] { return in_.elements(value(name).node()); });
}

ScalaReader::Entries FieldReader::entries(std::string_view name) const {
  return named(name, [&] { return in_.entries(value(name).node()); });
}

} // namespace stoker::spark
