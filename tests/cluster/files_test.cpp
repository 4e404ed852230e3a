// run --file and submit --file: files go with a command, arrive as they were, once, and
// whatever dies meanwhile.

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>

#include "storage/sha256.hpp"
#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t megabyte = 1'000'000;

struct FilesCluster : Cluster {
  /// Writes a file into a directory of its own, where no program starts.
  std::string write(const std::string& name, const std::string& content,
                    unsigned mode = 0644) {
    fs::create_directories(path("here"));
    auto result = path("here/" + name);
    std::ofstream{result, std::ios::binary} << content;
    REQUIRE(::chmod(result.c_str(), mode) == 0);
    return result;
  }

  /// Bytes that nothing makes smaller, as large as `bytes`.
  std::string write_random(const std::string& name, std::size_t bytes) {
    std::mt19937_64 random{bytes};
    std::string content;
    content.reserve(bytes + 8);
    while (content.size() < bytes) {
      auto x = random();
      content.append(reinterpret_cast<const char*>(&x), sizeof x);
    }
    content.resize(bytes);
    sum = stoker::sha256_of(content);
    return write(name, content);
  }

  /// Of the last random file.
  std::string sum;

  /// Whether there is such a file below a directory of the sandbox.
  [[nodiscard]] std::optional<fs::path> find(const std::string& below,
                                             const std::string& name) const {
    std::error_code error;
    for (fs::recursive_directory_iterator i{path(below), error}, end;
         !error && i != end; i.increment(error))
      if (i->path().filename() == name && fs::is_regular_file(i->path(), error)
          && i->file_size(error) > 0)
        return i->path();
    return std::nullopt;
  }

  void restart(Process& master) {
    master.send(SIGKILL);
    master.result();
    start_master();
  }

  /// `run` with these options and files, and then a script of the shell.
  Lines run_with(Lines options, const std::string& script) {
    options.insert(options.begin(), "run");
    options.insert(options.end(), {"--", "sh", "-c", script});
    return options;
  }
};

const Lines small{"--workers", "1", "--cores", "2", "--memory", "1g"};

} // namespace

TEST_CASE_METHOD(FilesCluster,
                 "a file arrives at all instances, and is sent once") {
  start_master();
  start_worker();
  start_worker();
  auto file = write_random("data.bin", 20 * megabyte);
  auto words = run_with({"-n", "3", "--file", file}, "sha256sum data.bin");
  auto result = run(words);
  INFO(result.err);
  REQUIRE(result.status == 0);
  auto line = sum + "  data.bin\n";
  CHECK(result.out == line + line + line);
  CHECK(result.err.find('\r') == std::string::npos);
  auto stored = find("data/files", sum);
  REQUIRE(stored);
  auto before = fs::last_write_time(*stored);
  auto kept = find("work-1", sum);
  REQUIRE(kept);
  auto fetched = fs::last_write_time(*kept);
  // Whoever has it already is not sent it again.
  CHECK(run(words).status == 0);
  CHECK(fs::last_write_time(*stored) == before);
  CHECK(fs::last_write_time(*kept) == fetched);
}

TEST_CASE_METHOD(FilesCluster,
                 "a program with files starts where they are, and is one") {
  start_local(small);
  auto tool = write("tool", "#!/bin/sh\npwd -P; cat data; echo \"$@\"\n", 0755);
  auto data = write("numbers", "1 2 3\n");
  SECTION("named as here") {
    auto result = run({"run", "--file", tool, "--file", data + ":data", "--",
                       "./tool", "a", "b"});
    INFO(result.err);
    auto lines = lines_of(result.out);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].find("/app-") != std::string::npos);
    CHECK(lines[1] == "1 2 3");
    CHECK(lines[2] == "a b");
  }
  SECTION("named without a slash") {
    auto result
        = run({"run", "--file", tool, "--file", data + ":data", "--", "tool"});
    CHECK(lines_of(result.out).at(1) == "1 2 3");
  }
  SECTION("that starts elsewhere") {
    fs::create_directory(path("there"));
    std::ofstream{path("there/data")} << "of there\n";
    auto result = run(
        {"run", "--file", tool, "--chdir", path("there"), "--", "./tool"});
    INFO(result.err);
    CHECK(lines_of(result.out).at(1) == "of there");
  }
  SECTION("all of whose instances start together") {
    auto result = run({"run", "--barrier", "-n", "2", "--file", tool, "--file",
                       data + ":data", "--", "./tool"});
    INFO(result.err);
    CHECK(result.status == 0);
    auto lines = lines_of(result.out);
    CHECK(std::count(lines.begin(), lines.end(), "1 2 3") == 2);
  }
}

TEST_CASE_METHOD(FilesCluster, "a driver finds its files") {
  start_local(small);
  auto result = run({"submit", "--file", write("code.sh", "echo it runs"), "--",
                     "sh", "code.sh"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  auto id = lines_of(result.out).at(0);
  CHECK(run({"wait", id}).status == 0);
  CHECK(run({"logs", id}).out == "it runs\n");
}

TEST_CASE_METHOD(FilesCluster, "an instance that starts again has its files") {
  start_local(small);
  auto data = write("data", "as it was\n");
  auto marker = path("marker");
  auto result
      = run(run_with({"--retries", "1", "--file", data},
                     "cat data; if [ ! -e " + marker + " ]; then touch "
                         + marker + "; echo changed > data; exit 1; fi"));
  CHECK(result.status == 0);
  CHECK(result.out == "as it was\nas it was\n");
}

TEST_CASE_METHOD(FilesCluster, "files that cannot go with a command are told") {
  start_local(small);
  auto file = write("data", "x");
  for (const auto* verb : {"run", "submit"}) {
    auto refused = [&](const Lines& files, const std::string& words) {
      Lines all{verb};
      for (const auto& x : files)
        all.insert(all.end(), {"--file", x});
      all.insert(all.end(), {"--", "true"});
      check_refusal(run(all), 2, words);
    };
    refused({file + ":.."}, "plain name");
    refused({path("none")}, "No such file");
    refused({path("here")}, "not a regular file");
    refused({file, file}, "two files are called 'data'");
    refused({file + ":stdout"}, "another one");
  }
}

TEST_CASE_METHOD(FilesCluster, "nothing is written through a program's links") {
  start_local(small);
  auto data = write("data", "shipped\n");
  auto victim = path("victim");
  fs::create_directory(victim);
  // The directory of the second attempt is in that of the first.
  auto result = run({"submit", "--supervise", "--file", data, "--", "sh", "-c",
                     "ln -s " + victim + " ../attempt-2; exit 1"});
  REQUIRE(result.status == 0);
  auto id = lines_of(result.out).at(0);
  CHECK(run({"wait", id}).status != 0);
  CHECK(fs::is_empty(victim));
  auto shown = run({"status", id});
  INFO(shown.out);
  CHECK(shown.out.find("cannot use the directory") != std::string::npos);
}

TEST_CASE_METHOD(FilesCluster,
                 "a master that dies while a file is sent goes on with it") {
  auto& master = start_master();
  start_worker();
  auto file = write_random("data.bin", 150 * megabyte);
  auto& process = stoker(run_with({"--file", file}, "sha256sum data.bin"));
  REQUIRE(eventually([&] {
    return find("data/files", sum + ".part") || find("data/files", sum);
  }));
  restart(master);
  auto result = process.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == sum + "  data.bin\n");
}

TEST_CASE_METHOD(FilesCluster,
                 "a master that dies while a file is fetched is waited for") {
  auto& master = start_master();
  start_worker();
  auto file = write_random("data.bin", 150 * megabyte);
  auto& process = stoker(run_with({"--file", file}, "sha256sum data.bin"));
  REQUIRE(eventually(
      [&] { return find("work-1", sum + ".part") || find("work-1", sum); }));
  restart(master);
  auto result = process.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == sum + "  data.bin\n");
  // It was found again.
  auto again = run(run_with({"--file", file}, "sha256sum data.bin"));
  CHECK(again.out == sum + "  data.bin\n");
}

TEST_CASE_METHOD(FilesCluster, "a run that waits for its files can be ended") {
  auto& master = start_master();
  start_worker();
  auto file = write_random("data.bin", 150 * megabyte);
  auto& process = stoker(run_with({"--file", file}, "touch " + path("ran")));
  REQUIRE(eventually(
      [&] { return find("work-1", sum + ".part") || find("work-1", sum); }));
  process.send(SIGINT);
  auto status = process.result().status;
  CHECK((status == 130 || status == 0));
  CHECK(eventually([&] {
    auto workers = this->status().at("workers").as_array();
    return workers.at(0).at("cores_used") == 0;
  }));
  CHECK(master.running());
}

TEST_CASE_METHOD(FilesCluster, "a file that is too large is refused") {
  auto limited = small;
  limited.insert(limited.end(), {"--conf", "stoker.files.maxFileSize=1m"});
  start_local(limited);
  auto file = write_random("data.bin", 2 * megabyte);
  check_refusal(run(run_with({"--file", file}, "true")), 1,
                "stoker.files.maxFileSize");
  CHECK_FALSE(find("data/files", sum + ".part"));
}

TEST_CASE_METHOD(FilesCluster, "a master with a full disk refuses files") {
  if (::getuid() != 0)
    return stoker::test::skip("only root can make a small disk");
  auto disk = path("disk");
  fs::create_directory(disk);
  // In a mount namespace of its own, so that nothing is left of the mount.
  auto& master
      = start({"unshare", "--mount", "sh", "-c",
               "mount -t tmpfs -o size=80m,mode=700 tmpfs '" + disk
                   + "' && exec '" STOKER_PROGRAM "' master --port "
                   + std::to_string(port()) + " --data '" + disk + "'"});
  await(master, "ALIVE at");
  start_worker();
  auto file = write_random("data.bin", 40 * megabyte);
  check_refusal(run(run_with({"--file", file}, "true")), 1,
                "of the master's disk stay free for other things");
  // It has lost nothing, and works.
  auto small_file = write("data", "small\n");
  CHECK(run(run_with({"--file", small_file}, "cat data")).out == "small\n");
  CHECK(says(master, "file-not-stored"));
}

TEST_CASE_METHOD(FilesCluster, "a worker with a full disk says so") {
  if (::getuid() != 0)
    return stoker::test::skip("only root can make a small disk");
  start_master({"--conf", "stoker.worker.backoff=1ms"});
  auto disk = path("disk");
  fs::create_directory(disk);
  auto& worker = start(
      {"unshare", "--mount", "sh", "-c",
       "mount -t tmpfs -o size=8m,mode=700 tmpfs '" + disk
           + "' && exec '" STOKER_PROGRAM
             "' worker \"$STOKER_MASTER\" --cores 1 --memory 1g --work-dir '"
           + disk + "'"});
  await(worker, "registered with");
  auto file = write_random("data.bin", 20 * megabyte);
  auto result = run(run_with({"--file", file}, "true"));
  CHECK(result.status == 1);
  INFO(result.err);
  CHECK(result.err.find("'data.bin'") != std::string::npos);
  CHECK(result.err.find("No space left on device") != std::string::npos);
  CHECK(run({"run", "--", "echo", "works"}).out == "works\n");
}

TEST_CASE_METHOD(FilesCluster, "nobody gets another user's file by its sum") {
  auto certs = path("certs");
  REQUIRE(run({"certs", certs, "--host", "localhost", "--user", "ann", "--user",
               "bob"})
              .status
          == 0);
  auto with = [&](Lines words, const std::string& who) {
    Lines options{"--tls-cert", certs + "/" + who + ".pem",
                  "--tls-key",  certs + "/" + who + "-key.pem",
                  "--tls-ca",   certs + "/ca.pem"};
    words.insert(words.begin() + 1, options.begin(), options.end());
    return words;
  };
  auto words = small;
  words.insert(words.begin(), "local");
  words = with(words, "localhost");
  words.erase(words.begin());
  start_local(words);
  auto file = write_random("secret", megabyte);
  auto result
      = run(with(run_with({"--file", file}, "sha256sum secret"), "ann"));
  INFO(result.err);
  CHECK(result.out == sum + "  secret\n");
  auto count = [&] {
    auto n = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator i{path("data/files"), error}, end;
         !error && i != end; i.increment(error))
      n += i->path().filename() == sum ? 1 : 0;
    return n;
  };
  CHECK(count() == 1);
  // Who has it, too, has to send it.
  CHECK(run(with(run_with({"--file", file}, "true"), "bob")).status == 0);
  CHECK(count() == 2);
}
