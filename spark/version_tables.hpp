#pragma once

// What differs between versions of Spark's standalone protocol: how the classes of
// its messages are described in a stream of Java objects. It is data, one table for
// each version, which tools/spark/make-table makes from Spark's jars;
// docs/develop/spark-versions.md says how.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stoker::spark {

/// A field as a class descriptor has it (Java Object Serialization Specification,
/// section 6.4, `fieldDesc`).
struct FieldLayout {
  /// The letter of its type: one of BCDFIJSZ, or L or [ for references.
  char type = 0;
  std::string name;
  /// The type of a reference, as `Ljava/lang/String;`. Empty for the others.
  std::string signature;

  bool operator==(const FieldLayout&) const = default;
};

/// What the descriptor of a class says (section 6.4, `classDesc`).
struct ClassLayout {
  /// As Java names it, with dots: `org.apache.spark.rpc.RpcAddress`. Arrays, too:
  /// `[Ljava.lang.Object;`.
  std::string name;
  /// The serialVersionUID. Readers refuse objects of another one.
  std::int64_t id = 0;
  /// SC_WRITE_METHOD 1, SC_SERIALIZABLE 2, SC_EXTERNALIZABLE 4, SC_BLOCK_DATA 8,
  /// SC_ENUM 16.
  std::uint8_t flags = 0;
  /// In the order of the stream: primitive ones by name, then references by name.
  std::vector<FieldLayout> fields;
  /// The super class, which is described as well; empty if it is not Serializable.
  std::string super;

  bool operator==(const ClassLayout&) const = default;
};

/// The classes of one version of Spark.
class VersionTable {
public:
  /// Of a file of spark/versions. Throws std::runtime_error if it is none.
  static VersionTable parse(std::string_view json);

  /// As `4.1.4`.
  const std::string& version() const {
    return version_;
  }

  /// Major and minor, as `2.13`: it decides how collections are written.
  const std::string& scala() const {
    return scala_;
  }

  /// What a driver of this version gives the JVM of its executors in any case
  /// (org.apache.spark.launcher.JavaModuleOptions).
  const std::vector<std::string>& java_options() const {
    return java_options_;
  }

  /// Null if this version has no such class, or never sends it.
  const ClassLayout* find(std::string_view class_name) const;

private:
  /// Lets a text be looked up without a copy of it.
  struct NameHash {
    using is_transparent = void;

    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>{}(name);
    }
  };

  std::string version_;
  std::string scala_;
  std::vector<std::string> java_options_;
  std::unordered_map<std::string, ClassLayout, NameHash, std::equal_to<>>
      classes_;
};

/// All that are known, the oldest version first. They live as long as the program.
const std::vector<VersionTable>& version_tables();

/// The table of a version. If it is not known, the next older one; if there is none, the
/// oldest.
const VersionTable& table_of_version(std::string_view version,
                                     const std::vector<VersionTable>& tables
                                     = version_tables());

/// Whether a version is older than another: by its numbers, as 4.0.9 is older than
/// 4.0.10; a release comes after its previews (`4.0.0-preview2`).
bool is_older_version(std::string_view a, std::string_view b);

/// A class descriptor that a client has sent.
struct ClassId {
  std::string_view name;
  std::int64_t id = 0;
};

/// Which versions a client may have.
struct TableChoice {
  /// The newest version first. They may differ in classes that the client has not
  /// sent yet. Empty only where no table is known at all.
  std::vector<const VersionTable*> tables;
  /// No table agrees with all that the client sent: there is only the nearest one.
  bool is_guess = false;
};

/// The tables that agree with all the ids; if none does, the one that agrees with
/// most of them, of several the newest. Ids that are 0, as those of enums, and
/// classes that no table has tell nothing.
TableChoice choose_table(std::span<const ClassId> class_ids,
                         const std::vector<VersionTable>& tables
                         = version_tables());

/// Those of the tables whose options are among a driver's, and no others that a table has;
/// all of them, if there is no such table. @pre `tables` is not empty
std::vector<const VersionTable*>
narrow_by_options(const std::vector<const VersionTable*>& tables,
                  const std::vector<std::string>& java_options);

} // namespace stoker::spark
