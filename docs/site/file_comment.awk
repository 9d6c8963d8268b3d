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
{ print }

function escaped(text) {
  if (text ~ /^    / || text ~ /`/) return text
  gsub(/@/, "\\&#64;", text)
  gsub(/</, "\\&lt;", text)
  return text
}
