#include "spark/bytes.hpp"

#include "spark/wire_error.hpp"

namespace stoker::spark {

void ByteReader::fail_short(std::size_t wanted) const {
  throw WireError{"the data ends where " + std::to_string(wanted)
                      + " more bytes should be, and " + std::to_string(left())
                      + " are,",
                  at_};
}

} // namespace stoker::spark
