# A rule of tools/tidy: each source, with the headers of this project that it
# includes, names what it uses of the project and of the standard library. So it
# compiles alone, which batches and precompiled headers would hide. Reads sources
# (after tools/strip.awk), prints `file:line: rule` for each violation.

# provides(header, names): names of namespace std, and the header that has them.
function provides(header, names,    all, count, i) {
  count = split(names, all, " ")
  for (i = 1; i <= count; i++)
    providers[all[i]] = providers[all[i]] " " header
}

BEGIN {
  declaration = "(^|[^A-Za-z0-9_])(struct|class|typename|using|concept|define|" \
    "enum|union|namespace)([.][.][.]| class| struct| \\[\\[[a-z]*\\]\\])? +" \
    "[A-Za-z_][A-Za-z0-9_]*"

  provides("algorithm", "all_of any_of none_of count count_if find find_if " \
    "find_if_not sort stable_sort min max clamp copy copy_if fill transform " \
    "remove remove_if unique reverse rotate lower_bound upper_bound equal_range " \
    "binary_search max_element min_element minmax partition nth_element " \
    "is_sorted includes set_difference set_intersection for_each search mismatch " \
    "partial_sort next_permutation shuffle equal")
  provides("array", "array")
  provides("atomic", "atomic")
  provides("cerrno", "errno")
  provides("chrono", "chrono")
  provides("cmath", "isfinite isnan isinf pow exp exp2 log log2 floor ceil round " \
    "llround sqrt fabs")
  provides("condition_variable", "condition_variable")
  provides("csignal", "signal raise")
  provides("cstdint", "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t " \
    "uint64_t intptr_t uintptr_t")
  provides("cstdio", "fopen fclose fprintf fputs snprintf rename FILE")
  provides("cstdlib", "getenv strtol strtoll strtod exit abort quick_exit")
  provides("cstring", "memcpy memset memcmp strlen strerror strcmp strncmp strchr")
  provides("ctime", "time_t tm gmtime strftime")
  provides("deque", "deque")
  provides("exception", "exception current_exception exception_ptr terminate")
  provides("filesystem", "filesystem")
  provides("fstream", "ifstream ofstream fstream")
  provides("functional", "function hash less greater invoke not_fn reference_wrapper")
  provides("future", "future promise async")
  provides("iomanip", "setw setfill setprecision left right")
  provides("iostream", "cout cerr cin clog")
  provides("iterator", "istreambuf_iterator back_inserter inserter make_move_iterator")
  provides("limits", "numeric_limits")
  provides("list", "list")
  provides("map", "map multimap")
  provides("memory", "unique_ptr shared_ptr weak_ptr make_unique make_shared " \
    "enable_shared_from_this")
  provides("mutex", "mutex lock_guard unique_lock scoped_lock call_once")
  provides("numeric", "accumulate iota")
  provides("optional", "optional nullopt nullopt_t make_optional")
  provides("queue", "queue priority_queue")
  provides("random", "mt19937 mt19937_64 random_device uniform_int_distribution")
  provides("set", "set multiset")
  provides("sstream", "stringstream istringstream ostringstream")
  provides("stdexcept", "runtime_error logic_error invalid_argument " \
    "out_of_range exception")
  provides("string", "string to_string stoi stol stoul getline")
  provides("string_view", "string_view")
  provides("charconv", "errc")
  provides("filesystem", "error_code errc")
  provides("system_error", "error_code system_error errc generic_category")
  provides("thread", "thread this_thread")
  provides("tuple", "tuple tie make_tuple forward_as_tuple apply")
  provides("type_traits", "is_same_v enable_if_t decay_t remove_cvref_t is_void_v " \
    "is_enum_v is_base_of_v conditional_t underlying_type_t")
  provides("unordered_map", "unordered_map")
  provides("unordered_set", "unordered_set")
  provides("utility", "exchange pair make_pair index_sequence in_place as_const")
  provides("variant", "variant visit holds_alternative get_if monostate")
  provides("vector", "vector")
}

FNR == 1 {
  files[++file_count] = FILENAME
  comment = 0
}

/^[ \t]*#[ \t]*include/ {
  header = $0
  sub(/^[ \t]*#[ \t]*include[ \t]*/, "", header)
  end = substr(header, 1, 1) == "<" ? ">" : "\""
  name = substr(header, 2)
  name = substr(name, 1, index(name, end) - 1)
  if (end == ">")
    standard[FILENAME, name] = 1
  else
    direct[FILENAME] = direct[FILENAME] " " name
  next
}

{
  code = strip($0)
  if (code !~ /[A-Za-z]/)
    next
  # Whatever is declared, at any depth: its name is known here.
  rest = code
  while (match(rest, declaration)) {
    count = split(substr(rest, RSTART, RLENGTH), words, " ")
    names[FILENAME, words[count]] = 1
    # A type of a namespace, that is no forward declaration.
    if (RSTART == 1 && FILENAME ~ /\.hpp$/ && code !~ /^[^{=]*;/)
      owners[words[count]] = owners[words[count]] " " FILENAME
    rest = substr(rest, RSTART + RLENGTH)
  }
  # A function of a namespace.
  if (FILENAME ~ /\.hpp$/ \
      && match(code, /^[A-Za-z][A-Za-z0-9_:<>,&* ]*[&* ][a-z][a-z0-9_]*\(/)) {
    count = split(substr(code, 1, RLENGTH - 1), words, /[&* ]+/)
    functions[words[count]] = functions[words[count]] " " FILENAME
    names[FILENAME, words[count]] = 1
  }
  # Other functions and variables: a type stands in front of them, if not on the
  # line before.
  rest = code
  gsub(/return /, "return;", rest)
  if (match(rest, /^ *[a-z][a-z0-9_]*\(.*( const |const [A-Za-z0-9_:<>]+&)/) \
      || match(rest, /^[a-z][a-z0-9_]*\(/)) {
    token = substr(rest, 1, index(rest, "(") - 1)
    sub(/^ +/, "", token)
    names[FILENAME, token] = 1
  }
  while (match(rest, /[A-Za-z0-9_>][&* ]+[a-z][a-z0-9_]*( =|[({;,)\]]|$)/)) {
    token = substr(rest, RSTART, RLENGTH)
    sub(/( =|[({;,)\]])$/, "", token)
    count = split(token, words, /[&* ]+/)
    names[FILENAME, words[count]] = 1
    rest = substr(rest, RSTART + 1)
  }
  rest = code
  while (match(rest, /(::|[.]|->)? *[A-Za-z_][A-Za-z0-9_]*/)) {
    token = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    if (token ~ /^::/) {
      if (before == "std") {
        sub(/^:: */, "", token)
        if ((token in providers) && !((FILENAME, token) in used_std)) {
          used_std[FILENAME, token] = FNR
          std_names[FILENAME] = std_names[FILENAME] " " token
        }
        before = ""
        continue
      }
      qualified = before
      sub(/^:: */, "", token)
      # Of stoker:: it is a type like others.
      if (qualified != "stoker") {
        before = token
        continue
      }
    } else if (token ~ /^([.]|->)/) {
      before = ""
      continue
    }
    sub(/^ +/, "", token)
    before = token
    if (token ~ /^[a-z]/ && rest ~ /^\(/ && !((FILENAME, token) in called)) {
      called[FILENAME, token] = FNR
      calls[FILENAME] = calls[FILENAME] " " token
    }
    if (token ~ /^[A-Z][A-Za-z0-9]*[a-z]/ && !((FILENAME, token) in used)) {
      used[FILENAME, token] = FNR
      types[FILENAME] = types[FILENAME] " " token
    }
  }
}

# Puts all headers of this project that `file` reaches into `reached`.
function reach(file,    all, count, i) {
  if (file in reached)
    return
  reached[file] = 1
  count = split(direct[file], all, " ")
  for (i = 1; i <= count; i++)
    reach(all[i])
}

function is_named(name,    file) {
  for (file in reached)
    if ((file, name) in names)
      return 1
  return 0
}

function includes_one(headers,    all, count, i, file) {
  count = split(headers, all, " ")
  for (file in reached)
    for (i = 1; i <= count; i++)
      if ((file, all[i]) in standard)
        return 1
  return 0
}

END {
  for (f = 1; f <= file_count; f++) {
    delete reached
    reach(files[f])
    count = split(types[files[f]], all, " ")
    for (i = 1; i <= count; i++)
      if ((all[i] in owners) && !is_named(all[i])) {
        printf "%s:%d: uses %s, and does not include%s\n", files[f],
               used[files[f], all[i]], all[i], owners[all[i]]
        violations++
      }
    count = split(calls[files[f]], all, " ")
    for (i = 1; i <= count; i++)
      if ((all[i] in functions) && !is_named(all[i])) {
        printf "%s:%d: calls %s, and does not include%s\n", files[f],
               called[files[f], all[i]], all[i], functions[all[i]]
        violations++
      }
    count = split(std_names[files[f]], all, " ")
    for (i = 1; i <= count; i++)
      if (!includes_one(providers[all[i]])) {
        printf "%s:%d: uses std::%s, and does not include <%s>\n", files[f],
               used_std[files[f], all[i]], all[i], substr(providers[all[i]], 2)
        violations++
      }
  }
  exit violations > 0
}
