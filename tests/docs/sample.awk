# Prints the whole program number `number` (from 1) of a page of the documents: an indented
# block of code that begins with an #include, but for a comment with its name.
function end_block() {
  sub(/\n+$/, "\n", text)
  if (in_block && is_whole && ++found == number)
    printf "%s", text
  in_block = is_whole = 0
  text = ""
}
/^    / {
  line = substr($0, 5)
  if (!in_block || (!is_whole && line ~ /^\/\/ [a-z_]+\.cpp$/)) {
    text = ""
    in_block = 1
  }
  if (line ~ /^#include/ && text ~ /^(\/\/ [a-z_]+\.cpp\n)?$/)
    is_whole = 1
  text = text line "\n"
  next
}
/^$/ && in_block { text = text "\n"; next }
{ end_block() }
END { end_block() }
