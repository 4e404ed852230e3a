// `stoker tenants check`: a tenants file without a master.

#include "tests/cluster/shared_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

TEST_CASE("tenants check counts what is in a file when the file is good") {
  SharedCluster place;
  place.write("[companies.first]\ncores = 2\n[companies.second]\n"
              "[users.ann]\ncompany = \"first\"\n");
  auto result = place.run({"tenants", "check", place.file});
  CHECK(result.status == 0);
  CHECK(result.out == place.file + ": 2 companies, 1 user\n");
  CHECK(result.err.empty());
}

TEST_CASE("tenants check warns and succeeds when a cap is below the purchase") {
  SharedCluster place;
  place.write("[companies.first]\ncores = 4\nmax_cores = 2\n");
  auto result = place.run({"tenants", "check", place.file});
  CHECK(result.status == 0);
  CHECK(result.out == place.file + ": 1 company, 0 users\n");
  REQUIRE(lines_of(result.err).size() == 1);
  CHECK(result.err.starts_with("stoker: warning: " + place.file
                               + ":3: company first: max_cores (2) is less "
                                 "than cores (4)"));
}

TEST_CASE("tenants check fails with file and line when a file is wrong") {
  SharedCluster place;
  place.write_bad();
  check_refusal(place.run({"tenants", "check", place.file}), 2,
                place.file + ":3: unknown key coers in companies.first");
}

TEST_CASE("tenants check names the file when it is missing") {
  SharedCluster place;
  check_refusal(place.run({"tenants", "check", place.file}), 1,
                "cannot read the tenants file " + place.file
                    + ": No such file or directory");
}

TEST_CASE("tenants check is used wrongly when no file is named") {
  SharedCluster place;
  check_refusal(place.run({"tenants", "check"}), 2, "FILE is required");
}
