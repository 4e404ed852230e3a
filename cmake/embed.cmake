# Writes a source that embeds files, for StokerEmbed.cmake. A compiler's cache does not see
# what the assembler reads, so that the source names what is in the files as well.
string(REPLACE "|" ";" FILES "${FILES}")
list(LENGTH FILES COUNT)
set(BYTES "")
set(ENTRIES "")
set(number 0)
foreach (file IN LISTS FILES)
  get_filename_component(base "${file}" NAME)
  file(SHA256 "${file}" hash)
  set(symbol "stoker_embedded_${NAME}_${number}")
  string(APPEND BYTES
    "// ${base}: ${hash}\n"
    "asm(\".pushsection .rodata\\n\"\n"
    "    \".global ${symbol}\\n${symbol}:\\n\"\n"
    "    \".incbin \\\"${file}\\\"\\n\"\n"
    "    \".global ${symbol}_end\\n${symbol}_end:\\n.byte 0\\n\"\n"
    "    \".popsection\\n\");\n"
    "extern \"C\" {\nextern const char ${symbol}[];\n"
    "extern const char ${symbol}_end[];\n}\n")
  string(APPEND ENTRIES "    {\"${base}\", {${symbol}, ${symbol}_end}},\n")
  math(EXPR number "${number} + 1")
endforeach ()
configure_file("${FORM}" "${SOURCE}" @ONLY)
