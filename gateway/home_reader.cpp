#include "gateway/home_reader.hpp"

#include <utility>

#include "actors/failure.hpp"

namespace stoker {

HomeReaderActor::behavior_type home_reader(HomeReaderActor::pointer self,
                                           VersionOfHome look) {
  handle_the_unexpected(self);
  return {
      [self, look = std::move(look)](const std::string& directory) {
        self->quit();
        return look(directory).value_or(std::string{});
      },
  };
}

} // namespace stoker
