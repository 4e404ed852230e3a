#pragma once

#include "spark/field_reader.hpp"
#include "spark/messages.hpp"

namespace stoker::spark {

// Parts of messages, from the objects that they are.
// @throws WireError that names the field which is missing or of another type

EndpointRef read_endpoint(const FieldReader& from);
RpcAddress read_address(const FieldReader& from);
ApplicationDescription read_application(const FieldReader& from);
DriverDescription read_driver(const FieldReader& from);
ResourceProfile read_profile(const FieldReader& from);
ExecutorDescription read_executor(const FieldReader& from);

/// @param name of a field that is a map of ResourceInformation
ResourceAddresses read_resources(const FieldReader& from,
                                 std::string_view name);

} // namespace stoker::spark
