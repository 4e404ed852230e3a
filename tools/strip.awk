# Removes comments and the contents of literals from a line of C++. `comment` says
# whether the line before ended within a comment; a file begins with 0.
function strip(line,    start) {
  if (comment) {
    if (!(start = index(line, "*/")))
      return ""
    line = substr(line, start + 2)
    comment = 0
  }
  gsub(/'"'/, "' '", line)
  gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
  gsub(/\/\*([^*]|\*[^\/])*\*\//, " ", line)
  sub(/\/\/.*/, "", line)
  if (start = index(line, "/*")) {
    comment = 1
    line = substr(line, 1, start - 1)
  }
  return line
}
