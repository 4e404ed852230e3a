// What a program has used, as its supervisor counts it.

#include "process/output_reader.hpp"
#include "tests/process/support.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker;
using namespace stoker::process;
using namespace stoker::process::test;

namespace {

/// What a script used.
ResourceUse use_of(const std::string& script) {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {});
  spec.arguments = {"/bin/sh", "-c", script};
  auto ended = run(spec);
  REQUIRE(ended.use);
  // Whoever comes too late to ask reads the same.
  CHECK(state_in(spec.directory).use == ended.use);
  return *ended.use;
}

/// Takes a while of a core.
const std::string work = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";

} // namespace

TEST_CASE("a program that does nothing uses next to nothing") {
  auto use = use_of(":");
  CHECK(use.cpu_ms < 1'000);
  CHECK(use.peak_memory_mb >= 1);
  CHECK(use.output_bytes == 0);
}

TEST_CASE("the output of a program is counted, of both streams") {
  CHECK(use_of("printf hello; printf 12 >&2").output_bytes == 7);
  CHECK(use_of("head -c 3000000 /dev/zero").output_bytes == 3'000'000);
}

TEST_CASE("what a program computes is counted") {
  CHECK(use_of(work).cpu_ms > 20);
}

TEST_CASE("what its children compute is counted") {
  CHECK(use_of("sh -c '" + work + "'; :").cpu_ms > 20);
}

TEST_CASE("what children compute that nobody waited for is counted") {
  CHECK(use_of("sh -c '" + work
               + "; echo > done' & "
                 "while ! [ -e done ]; do read x < /dev/null; done; exec true")
            .cpu_ms
        > 20);
}

TEST_CASE(
    "what children compute that the kernel reaps is counted where there is "
    "a control group") {
  TemporaryDirectory directory;
  auto spec = spec_for(directory.path("x"), {"ignore_children", "500"});
  auto ended = run(spec);
  REQUIRE(ended.use);
  if (state_in(spec.directory).cgroup.empty())
    return stoker::test::skip("no control groups that can be written");
  CHECK(ended.use->cpu_ms >= 490);
  CHECK(ended.use->cpu_ms < 5'000);
}

TEST_CASE("the memory of the largest process is counted") {
  // The shell keeps the text.
  auto use = use_of("x=$(head -c 60000000 /dev/zero | tr '\\0' x); : ${#x}");
  CHECK(use.peak_memory_mb >= 50);
}
