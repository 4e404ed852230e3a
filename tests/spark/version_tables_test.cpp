// Which versions of Spark a client may have follows from the ids that it sends.
// Those here are from recorded frames of Spark 3.5.9 and 4.1.4; those of versions
// without recordings are from their tables.

#include "spark/version_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.hpp"

using namespace stoker::spark;

namespace {

namespace fs = std::filesystem;

using Ids = std::vector<ClassId>;
using Names = std::vector<std::string>;

constexpr const char* check_existence
    = "org.apache.spark.rpc.netty.RpcEndpointVerifier$CheckExistence";
constexpr const char* register_application
    = "org.apache.spark.deploy.DeployMessages$RegisterApplication";
constexpr const char* endpoint_ref = "org.apache.spark.rpc.RpcEndpointRef";

/// RegisterApplication of Spark 3.5.9, without what others have as well.
const Ids registration_3_5 = {
    {register_application, -5495080032843259921},
    {"org.apache.spark.deploy.ApplicationDescription", -6826680068825109317},
    {"org.apache.spark.deploy.Command", -7098307370860582211},
    {"scala.collection.immutable.List$SerializationProxy", 1},
    {"scala.collection.immutable.ListSerializeEnd$", -8476791151975527571},
    {"scala.collection.mutable.ArrayBuffer", 1529165946227428979},
    {"[Ljava.lang.Object;", -8012369246846506644},
    {"scala.collection.mutable.HashMap", 1},
    {"org.apache.spark.resource.ResourceProfile", 6817910790482746242},
    {"scala.Some", 1234815782226070388},
    {"java.lang.Integer", 1360826667806852920},
    {"java.net.URI", -6052424284110960213},
    {"org.apache.spark.rpc.netty.NettyRpcEndpointRef", -6548222484686823432},
    {endpoint_ref, -2184441956866814275},
    {"org.apache.spark.rpc.RpcTimeout", -5367083702551883755},
    {"java.util.concurrent.TimeUnit", 0},
    {"org.apache.spark.rpc.RpcAddress", -1438326888747922488},
};

/// The same of Spark 4.1.4.
const Ids registration_4_1 = {
    {register_application, 1314361325537467148},
    {"org.apache.spark.deploy.ApplicationDescription", -2632783909929761209},
    {"org.apache.spark.deploy.Command", 8406518256943838952},
    {"scala.collection.generic.DefaultSerializationProxy", 3},
    {"scala.runtime.ModuleSerializationProxy", 1},
    {"scala.Tuple2", 142951686315914362},
    {"scala.collection.immutable.ArraySeq", -1506415583798956640},
    {"org.apache.spark.resource.ResourceProfile", -2517983430696660228},
    {"scala.Some", 1234815782226070388},
    {"java.net.URI", -6052424284110960213},
    {"org.apache.spark.rpc.netty.NettyRpcEndpointRef", -6548222484686823432},
    {endpoint_ref, -6062078299962416402},
    {"java.util.concurrent.TimeUnit", 0},
    {"org.apache.spark.rpc.RpcAddress", 3128407972965539268},
};

Names versions_of(const TableChoice& choice) {
  Names result;
  for (const auto* table : choice.tables)
    result.push_back(table->version());
  return result;
}

/// Those whose answers are known here; newer ones may come.
const std::vector<VersionTable>& tested_tables() {
  static const auto tables = [] {
    const Names versions
        = {"3.3.4", "3.4.4", "3.5.9", "4.0.5", "4.1.4", "4.2.1", "4.3.0"};
    std::vector<VersionTable> result;
    for (const auto& table : version_tables())
      if (std::find(versions.begin(), versions.end(), table.version())
          != versions.end())
        result.push_back(table);
    return result;
  }();
  return tables;
}

TableChoice choose(const Ids& ids) {
  return choose_table(ids, tested_tables());
}

/// What a client of that version would send of these classes.
Ids ids_of(std::string_view version, const Ids& like) {
  const auto& tables = version_tables();
  auto table = std::find_if(tables.begin(), tables.end(), [&](const auto& x) {
    return x.version() == version;
  });
  REQUIRE(table != tables.end());
  Ids result;
  for (const auto& x : like)
    if (const auto* layout = table->find(x.name))
      result.push_back({x.name, layout->id});
  return result;
}

} // namespace

TEST_CASE("each table of the folder is in the program, the oldest first") {
  std::size_t files = 0;
  for (const auto& entry :
       fs::directory_iterator{STOKER_TEST_DATA "/../../spark/versions"}) {
    ++files;
    const auto& tables = version_tables();
    CHECK(std::any_of(tables.begin(), tables.end(), [&](const auto& x) {
      return x.version() == entry.path().stem().string();
    }));
  }
  CHECK(version_tables().size() == files);
  CHECK(std::is_sorted(version_tables().begin(), version_tables().end(),
                       [](const auto& a, const auto& b) {
                         return is_older_version(a.version(), b.version());
                       }));
}

TEST_CASE(
    "a table tells id, flags, fields in the stream's order, super class") {
  auto tables = choose(registration_3_5).tables;
  REQUIRE_FALSE(tables.empty());
  const auto& table = *tables.front();
  CHECK(table.version() == "3.5.9");
  CHECK(table.scala() == "2.12");

  const auto* address = table.find("org.apache.spark.rpc.RpcAddress");
  REQUIRE(address);
  CHECK(*address
        == ClassLayout{"org.apache.spark.rpc.RpcAddress",
                       -1438326888747922488,
                       2,
                       {{'I', "port", ""}, {'L', "host", "Ljava/lang/String;"}},
                       ""});

  const auto* ref
      = table.find("org.apache.spark.rpc.netty.NettyRpcEndpointRef");
  REQUIRE(ref);
  CHECK(ref->flags == 3);
  CHECK(ref->super == endpoint_ref);

  CHECK(table.find("java.util.concurrent.TimeUnit")->flags == 18);
  CHECK_FALSE(table.find("scala.runtime.ModuleSerializationProxy"));
  CHECK(tested_tables().back().find("scala.runtime.ModuleSerializationProxy"));
}

TEST_CASE("what is written to clients is in each table") {
  const Names written = {
      "java.lang.Boolean",
      "java.lang.Integer",
      "java.util.concurrent.TimeUnit",
      "org.apache.spark.deploy.DeployMessages$ApplicationRemoved",
      "org.apache.spark.deploy.DeployMessages$DriverStatusResponse",
      "org.apache.spark.deploy.DeployMessages$ExecutorAdded",
      "org.apache.spark.deploy.DeployMessages$ExecutorUpdated",
      "org.apache.spark.deploy.DeployMessages$KillDriverResponse",
      "org.apache.spark.deploy.DeployMessages$MasterChanged",
      "org.apache.spark.deploy.DeployMessages$RegisteredApplication",
      "org.apache.spark.deploy.DeployMessages$SubmitDriverResponse",
      "org.apache.spark.deploy.DeployMessages$WorkerRemoved",
      "org.apache.spark.deploy.ExecutorState$",
      "org.apache.spark.deploy.master.DriverState$",
      "org.apache.spark.rpc.RpcEndpointAddress",
      "org.apache.spark.rpc.RpcTimeout",
      "org.apache.spark.rpc.netty.NettyRpcEndpointRef",
      "scala.Enumeration$Val",
      "scala.None$",
      "scala.Some",
      "scala.concurrent.duration.FiniteDuration",
  };
  for (const auto& table : version_tables())
    for (const auto& name : written) {
      INFO(table.version() << ": " << name);
      CHECK(table.find(name));
    }
}

TEST_CASE("the first message tells Scala 2.12 from 2.13, and no more") {
  auto old = choose(Ids{{check_existence, 7789290765573734431}});
  CHECK_FALSE(old.is_guess);
  CHECK(versions_of(old) == Names{"3.5.9", "3.4.4", "3.3.4"});

  auto recent = choose(Ids{{check_existence, 5378738997755484868}});
  CHECK_FALSE(recent.is_guess);
  CHECK(versions_of(recent) == Names{"4.3.0", "4.2.1", "4.1.4", "4.0.5"});
}

TEST_CASE("an application's registration tells versions apart that differ") {
  auto choose_by = [](std::string_view version, const Ids& like) {
    auto choice = choose(ids_of(version, like));
    CHECK_FALSE(choice.is_guess);
    return versions_of(choice);
  };
  CHECK(choose_by("3.3.4", registration_3_5) == Names{"3.3.4"});
  CHECK(versions_of(choose(registration_3_5)) == Names{"3.5.9", "3.4.4"});
  CHECK(choose_by("4.0.5", registration_4_1) == Names{"4.0.5"});
  CHECK(versions_of(choose(registration_4_1)) == Names{"4.2.1", "4.1.4"});
  CHECK(choose_by("4.3.0", registration_4_1) == Names{"4.3.0"});
}

TEST_CASE("versions that are chosen together describe what was sent alike") {
  for (const auto* ids : {&registration_3_5, &registration_4_1}) {
    auto tables = choose_table(*ids).tables;
    for (const auto* table : tables)
      for (const auto& x : *ids) {
        const auto* layout = tables.front()->find(x.name);
        const auto* other = table->find(x.name);
        REQUIRE((layout == nullptr) == (other == nullptr));
        CHECK((!layout || *layout == *other));
      }
  }
}

TEST_CASE("an id that no version has makes the choice a guess") {
  SECTION("the nearest agrees with most of the others") {
    auto ids = ids_of("3.3.4", registration_3_5);
    ids.front().id += 1;
    auto choice = choose(ids);
    CHECK(choice.is_guess);
    CHECK(versions_of(choice) == Names{"3.3.4"});
  }
  SECTION("of several that are as near, the newest") {
    auto ids = registration_4_1;
    ids.front().id += 1;
    CHECK(versions_of(choose(ids)) == Names{"4.2.1"});
    auto choice = choose(Ids{{check_existence, 1}});
    CHECK(choice.is_guess);
    CHECK(versions_of(choice) == Names{tested_tables().back().version()});
  }
}

TEST_CASE("a class that a version lacks was not sent by it") {
  // The class of one id, and what only Scala 2.13 has.
  Ids ids = {{"scala.Some", 1234815782226070388},
             {"scala.runtime.ModuleSerializationProxy", 1}};
  auto choice = choose(ids);
  CHECK_FALSE(choice.is_guess);
  CHECK(versions_of(choice) == Names{"4.3.0", "4.2.1", "4.1.4", "4.0.5"});
}

TEST_CASE("ids of unknown classes and ids of 0 tell nothing") {
  // A literal of a class that is not Serializable has 0, whatever others have.
  Ids ids = {{"java.net.URI", -6052424284110960213},
             {"java.util.concurrent.TimeUnit", 0},
             {"scala.collection.immutable.Map$", 0}};
  auto choice = choose(ids);
  CHECK_FALSE(choice.is_guess);
  CHECK(choice.tables.size() == tested_tables().size());
  CHECK(choose_table(Ids{}).tables.size() == version_tables().size());
  CHECK(choose_table(registration_3_5, {}).tables.empty());
}

TEST_CASE("versions are compared by their numbers") {
  CHECK(is_older_version("4.0.9", "4.0.10"));
  CHECK_FALSE(is_older_version("4.0.10", "4.0.9"));
  CHECK(is_older_version("3.5", "3.5.1"));
  CHECK(is_older_version("4.0.0-preview2", "4.0.0"));
  CHECK(is_older_version("4.0.0-preview1", "4.0.0-preview2"));
  CHECK_FALSE(is_older_version("4.0.0", "4.0.0"));
}

TEST_CASE("a version without a table has that of the next older one") {
  CHECK(table_of_version("3.5.9").version() == "3.5.9");
  CHECK(table_of_version("3.5.99").version() == "3.5.9");
  CHECK(table_of_version("99.0.0").version()
        == version_tables().back().version());
  CHECK(table_of_version("2.4.8").version()
        == version_tables().front().version());
}

TEST_CASE("a table that is malformed is refused") {
  auto table = [](const std::string& classes) {
    return R"({"spark": "1.2.3", "scala": "2.12", "classes": {)" + classes
           + "}}";
  };
  CHECK(VersionTable::parse(table("")).version() == "1.2.3");
  CHECK(
      VersionTable::parse(
          table(
              R"("A": {"id": "-9223372036854775808", "flags": 2, "fields": []})"))
          .find("A")
          ->id
      == INT64_MIN);
  for (const auto* wrong :
       {R"("A": {})", R"("A": {"id": 1, "flags": 2, "fields": []})",
        R"("A": {"id": "1x", "flags": 2, "fields": []})",
        R"("A": {"id": "9223372036854775808", "flags": 2, "fields": []})",
        R"("A": {"id": "1", "flags": 256, "fields": []})",
        R"("A": {"id": "1", "flags": 2, "fields": [["V", "x"]]})",
        R"("A": {"id": "1", "flags": 2, "fields": [["I"]]})",
        R"("A": {"id": "1", "flags": 2, "fields": [["L", "x"]]})",
        R"("A": {"id": "1", "flags": 2, "fields": [["I", "x", "I"]]})",
        R"("A": {"id": "1", "flags": 2, "fields": [], "super": "B"})"}) {
    INFO(wrong);
    CHECK_THROWS_AS(VersionTable::parse(table(wrong)), std::runtime_error);
  }
  CHECK_THROWS_AS(VersionTable::parse("[]"), std::runtime_error);
  CHECK_THROWS_AS(VersionTable::parse("{"), std::runtime_error);
}

TEST_CASE("what a driver gives its executors' JVM tells versions apart that "
          "look the same",
          "[spark]") {
  using stoker::spark::narrow_by_options;
  auto names = [](const std::vector<const stoker::spark::VersionTable*>& x) {
    std::vector<std::string> result;
    for (const auto* table : x)
      result.push_back(table->version());
    return result;
  };
  std::vector<const stoker::spark::VersionTable*> all;
  const stoker::spark::VersionTable* one = nullptr;
  for (const auto& table : stoker::spark::version_tables()) {
    all.push_back(&table);
    if (table.version() == "4.1.4")
      one = &table;
  }
  REQUIRE(one != nullptr);
  auto options = one->java_options();
  options.emplace_back("-Dspark.driver.port=40253");
  CHECK(names(narrow_by_options(all, options))
        == std::vector<std::string>{"4.1.4"});
  // Options of no version tell nothing.
  CHECK(narrow_by_options(all, {"-Xss4m"}) == all);
}
