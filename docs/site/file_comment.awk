# The comment at the top of a header, "// name.h: what lives here", as Doxygen's description of the file. The line that it
# needs more is taken from "#pragma once", so that line numbers stay. Examples are indented; in text, what Doxygen would take
# for a command or a tag is escaped.
FNR == 1 && match($0, /^\/\/ [A-Za-z0-9_.]+: /) {
  print "/// @file"
  print "/// " toupper(substr($0, RLENGTH + 1, 1)) escaped(substr($0, RLENGTH + 2))
  inside = 1
  next
}
inside && /^\/\// { print "///" escaped(substr($0, 3)); next }
inside && /^#pragma once/ { inside = 0; next }
# Contracts of lessons use the same names: on the site each is in a namespace of its own.
BEGIN { if (match(ARGV[1], /\/lessons\/[0-9][0-9]_/)) lesson = substr(ARGV[1], RSTART + 9, 2) }
lesson && !is_open && /^$/ { is_blank = 1; next }
is_blank { print /^#/ ? "" : "/** The contract of lesson " lesson ". */ namespace lesson_" lesson " {"; is_open = !/^#/; is_blank = 0 }
{ print }
END { if (is_open) print "}" }

function escaped(text) {
  if (text ~ /^    / || text ~ /`/) return text
  gsub(/@/, "\\&#64;", text)
  gsub(/</, "\\&lt;", text)
  return text
}
