# The rules of tools/tidy. Reads sources, prints `file:line: rule` for each
# violation, and ends with status 1 if there was one.

function report(line, reason) {
  printf "%s:%d: %s\n", FILENAME, line, reason
  violations++
}

# allow(folder, folders): files of `folder` may include these, and their own.
function allow(folder, folders,    names, count, i) {
  count = split(folder " " folders, names, " ")
  for (i = 1; i <= count; i++)
    allowed[folder, names[i]] = 1
  ours[folder] = 1
}

BEGIN {
  # messages <- scheduling, process, network; scheduling, process <- storage;
  # process, network, storage <- outputs <- executor; all of these <- actors
  # <- embedding <- jobs <- tools; messages <- spark; spark, actors <- gateway
  # <- embedding, web; web <- tools; metrics <- actors
  allow("messages", "")
  allow("scheduling", "messages")
  allow("metrics", "")
  allow("pages", "messages scheduling")
  allow("storage", "messages scheduling process")
  allow("process", "messages")
  allow("simulation", "messages scheduling storage executor")
  allow("network", "messages process")
  allow("outputs", "messages storage process network")
  allow("executor", "messages process outputs")
  allow("actors", "messages metrics scheduling storage process network outputs " \
                  "executor")
  allow("gateway", "messages scheduling process actors network spark")
  allow("embedding", "messages metrics scheduling storage process actors network " \
                     "outputs executor gateway")
  allow("jobs", "messages scheduling process actors network outputs executor " \
                "embedding")
  allow("spark", "messages")
  allow("web", "messages metrics pages scheduling storage actors network spark gateway")
  allow("testing", "messages scheduling storage")
  allow("tools", "messages metrics pages scheduling storage process actors network " \
                 "outputs executor embedding jobs gateway spark web simulation")
  allow("examples", "messages scheduling storage process actors network outputs " \
                    "embedding jobs gateway spark web testing")
  allow("tests", "messages metrics pages scheduling storage process actors network " \
                 "outputs executor embedding jobs gateway spark web tools testing " \
                 "simulation")

  # Inside of scheduling/, in the same way.
  allow("scheduling/common", "")
  allow("scheduling/placement", "scheduling/common")
  allow("scheduling/tenants", "scheduling/common scheduling/placement")
  allow("scheduling/master", "scheduling/common scheduling/placement " \
                             "scheduling/tenants scheduling/planning")
  allow("scheduling/leadership", "scheduling/common scheduling/placement " \
                                 "scheduling/tenants scheduling/master")
  allow("scheduling/planning", "scheduling/common scheduling/placement " \
                               "scheduling/tenants scheduling/master")
  allow("scheduling/registration", "scheduling/common")
  allow("scheduling/worker", "scheduling/common scheduling/registration")
  allow("scheduling/application", "scheduling/common scheduling/registration")
  allow("scheduling/jobs", "scheduling/common")
  allow("scheduling/barrier", "scheduling/common")
  allow("scheduling/allocation", "scheduling/common scheduling/application " \
                                 "scheduling/registration scheduling/jobs")

  # Headers that scheduling/ must not include, as a pattern, and why.
  pure["caf/"] = "knows no actors: translate in actors/"
  pure["(sqlite3[.]h|SQLiteCpp/)"] = "knows no database: that is storage/"
  pure["(thread|mutex|shared_mutex|atomic|condition_variable|future|stop_token|"\
       "semaphore|latch|barrier|coroutine|pthread[.]h|threads[.]h|stdatomic[.]h|"\
       "boost/(thread|atomic|fiber|lockfree).*)>"] \
    = "has no threads: one thread steps it"
  pure["(fstream|filesystem|iostream|syncstream|"\
       "boost/(filesystem|iostreams|interprocess|nowide).*)>"] \
    = "touches no files or terminals: effects and results say what to write"
  pure["(sys/|netinet/|arpa/|net/|linux/|asm/|unistd[.]h|fcntl[.]h|signal[.]h|"\
       "csignal|poll[.]h|dirent[.]h|dlfcn[.]h|sched[.]h|spawn[.]h|netdb[.]h|"\
       "pwd[.]h|grp[.]h|termios[.]h|syslog[.]h|glob[.]h|ftw[.]h|locale[.]h|"\
       "clocale|locale|csetjmp|malloc[.]h)"] \
    = "does not know the operating system"
  pure["(ctime|time[.]h)>"] = "reads no clock: time is an argument"
  pure["random>"] = "has no randomness of its own: use scheduling/common/random.hpp"
  pure["(boost/(asio|beast|process|date_time|chrono|random|uuid)|openssl/|"\
       "spdlog/|CLI/|toml)"] = "depends on nothing that could act"

  # Calls that scheduling/ must not make. The start of a word is added.
  calls["caf::"] = "knows no actors: translate in actors/"
  calls["[a-z_]*_clock *::"] = "reads no clock: time is an argument"
  calls["(time|clock|gettimeofday|clock_gettime|localtime|gmtime) *[(]"] \
    = "reads no clock: time is an argument"
  calls["(random_device|(rand|srand|s?rand48|arc4random|getrandom) *[(])"] \
    = "has no randomness of its own: use scheduling/common/random.hpp"
  calls["((secure_getenv|getenv|setenv|putenv) *[(]|environ([^a-z]|$))"] \
    = "does not know the environment: configuration is an argument"
  calls["(std::(thread|jthread|mutex|atomic|async|future|promise)|thread_local)"] \
    = "has no threads: one thread steps it"
  calls["((fopen|printf|fprintf|puts|fputs|fwrite|system|popen) *[(]|"\
        "std::(cout|cerr|clog)|FILE *[*])"] \
    = "touches no files or terminals: effects and results say what to write"
}

FNR == 1 {
  end_file()
  file = FILENAME
  folder = FILENAME
  sub(/\/.*/, "", folder)
  subject = subject_of(FILENAME)
  delete included
  source = FILENAME ~ /\.[ch]pp$/
  once = FILENAME !~ /\.hpp$/
  comment = 0
  if (FILENAME ~ /\.cpp$/)
    written[FILENAME] = 1
}

# -- all files -----------------------------------------------------------------

/[ \t\r]$/ { report(FNR, "spaces at the end of the line") }

# Only the words in capitals are marks, and spelled apart here they are none.
/(^|[^A-Za-z_])(TO[D]O|FIX[M]E|X[X]X)([^A-Za-z_]|$)/ {
  report(FNR, "says that something is not finished: finish it, or write it down " \
              "where it is planned")
}

# A text cannot be broken in JSON.
length($0) > 100 && FILENAME !~ /\.(md|json)$/ && !/https?:\/\// {
  report(FNR, length($0) " columns are more than 100")
}

{ lines = FNR }

FILENAME ~ /(^|\/)CMakeLists\.txt$/ { note_built($0) }

!source { next }

# -- C++ -----------------------------------------------------------------------

/\t[^ \t\r]/ { report(FNR, "a tab: indent with spaces") }

/^#pragma once/ { once = 1 }

/^[ \t]*#[ \t]*include/ { check_include($0); next }

{
  code = strip($0)
  if (code ~ /^[ \t]*$/)
    next
}

folder == "scheduling" {
  for (pattern in calls)
    if (code ~ ("(^|[^A-Za-z0-9_])" pattern))
      report(FNR, "scheduling/ " calls[pattern])
}

# The programs that tests start, and the helpers that wait for a condition, may.
FILENAME ~ /^tests\/.*(_test\.cpp|\.hpp)$/ \
    && code ~ /(^|[^A-Za-z0-9_])(sleep_for|sleep_until|u?sleep|nanosleep) *\(/ {
  report(FNR, "tests do not sleep: wait for what shall happen")
}

END {
  end_file()
  for (name in written)
    if (!(name in built)) {
      printf "%s:1: no CMakeLists.txt names it: nobody compiles it\n", name
      violations++
    }
  if (violations > 0) {
    printf "%d violation%s\n", violations, violations == 1 ? "" : "s"
    exit 1
  }
}

# The folder below scheduling/ that a path lies in; nothing if there is none.
function subject_of(path,    parts) {
  return split(path, parts, "/") > 2 && parts[1] == "scheduling" \
           ? parts[1] "/" parts[2] : ""
}

# Sources that a line of a CMakeLists.txt names.
function note_built(line,    words, count, i, path) {
  sub(/#.*/, "", line)
  count = split(line, words, /[ \t()]+/)
  for (i = 1; i <= count; i++) {
    if (words[i] !~ /\.cpp$/)
      continue
    path = FILENAME
    sub(/CMakeLists\.txt$/, "", path)
    path = path words[i]
    while (sub(/[^\/]+\/\.\.\//, "", path)) {}
    built[path] = 1
  }
}

function check_include(line,    header, target, pattern) {
  header = line
  sub(/^[ \t]*#[ \t]*include[ \t]*/, "", header)
  if (header !~ /^[<"]/) {
    if (folder == "scheduling")
      report(FNR, "scheduling/ names what it includes")
    return
  }
  if (header ~ /^[<"]caf\/all\.hpp/)
    report(FNR, "include what you use: caf/all.hpp costs seconds")
  if (header ~ /^"?[^"]*\.\.\//)
    report(FNR, "name the folder, as \"messages/ids.hpp\", not the way to it")
  sub(/[ \t]*\/[\/*].*/, "", header)
  if (header in included)
    report(FNR, "is included twice")
  included[header] = 1
  target = subject_of(substr(header, 2))
  if (subject != "" && target != "" && !((subject, target) in allowed))
    report(FNR, subject "/ must not include " target "/: see docs/decisions/0015")
  target = substr(header, 2)
  sub(/\/.*/, "", target)
  if ((target in ours) && !((folder, target) in allowed))
    report(FNR, folder "/ must not include " target "/: dependencies point " \
                "one way, messages <- scheduling, process, network <- storage " \
                "<- outputs <- executor <- actors <- embedding <- jobs <- tools")
  if (folder == "scheduling")
    for (pattern in pure)
      # random.hpp is where seeded randomness is made.
      if (substr(header, 2) ~ ("^" pattern) \
          && !(pattern == "random>" && FILENAME == "scheduling/common/random.hpp"))
        report(FNR, "scheduling/ " pure[pattern])
}

function end_file() {
  if (file == "")
    return
  if (!once)
    printf "%s:1: a header without #pragma once\n", file
  if (!once)
    violations++
  if (source && lines > 500) {
    printf "%s:%d: more than 500 lines: make two of it\n", file, lines
    violations++
  }
}
