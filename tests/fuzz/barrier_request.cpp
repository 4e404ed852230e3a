// What programs of barrier tasks say to their executor.

#include "executor/barrier_request.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace stoker::executor;
  using stoker::test::require;
  auto request = parse_barrier_request(stoker::test::text_of(data, size));
  if (!request) {
    require(!request.error().message.empty());
    require(error_answer(request.error().message).back() == '\n');
    return 0;
  }
  require(request->message.size() <= barrier_message_max);
  require(request->kind == BarrierRequest::Kind::call
          || request->message.empty());
  // It can be passed on.
  require(messages_answer({request->message}).back() == '\n');
  return 0;
}
