#include "trace/json_cursor.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace trace {
namespace {

/// Reads any value to its end.
void read_value(json_cursor& cursor) {
  const bool is_object = cursor.next() == '{';
  for (auto name = cursor.first_member(); name; name = cursor.next_member()) read_value(cursor);
  if (is_object || cursor.each_entry([&] { read_value(cursor); })) return;
  if (!cursor.number() && !cursor.boolean() && !cursor.text()) throw not_json{};
}

bool is_accepted(std::string_view text) {
  try {
    json_cursor cursor(text);
    read_value(cursor);
    cursor.expect_end();
    return true;
  } catch (const not_json&) {
    return false;
  }
}

TEST(JsonCursor, AcceptsAndRefusesWhatTheJsonLibraryDoes) {
  for (const char* text : {"0",
                           "-0",
                           "7",
                           "-7",
                           "01",
                           "-",
                           "+1",
                           "1.5",
                           "1.",
                           ".5",
                           "1e3",
                           "1e",
                           "1E+3",
                           "1e-",
                           "0x1",
                           "1 2",
                           "\"a\"",
                           "\"a",
                           "\"\\\"\"",
                           "\"\\\"",
                           "\"\\q\"",
                           "\"\\u00e9\"",
                           "\"\\u00\"",
                           "\"\\ud800\"",
                           "\"\xc3\xa9\"",
                           "\"\xc3\"",
                           "\"\n\"",
                           "[]",
                           "[",
                           "[1",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "[1,2]",
                           "]",
                           "{}",
                           "{",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{\"a\":1}",
                           "{\"a\" : [ 1 , {} ] } ",
                           "{\"a\":1}}",
                           "true",
                           "tru",
                           "truefalse",
                           "",
                           " ",
                           "\t1\r\n",
                           "{\"a\":{\"b\":[[]]}}",
                           "[\"\",\"\"]",
                           "99999999999999999999"}) {
    EXPECT_EQ(is_accepted(text), nlohmann::json::accept(std::string(text))) << text;
  }
}

TEST(JsonCursor, NumbersKeepTheirDigits) {
  json_cursor cursor("[18446744073709551615, -3, 1.5, 2e3, 18446744073709551616]");
  std::string texts;
  cursor.each_entry([&] {
    const json_number number = cursor.number().value();
    texts +=
        number.is_whole ? (number.is_negative ? "-" : "") + std::to_string(number.magnitude) + " " : "? ";
  });
  EXPECT_EQ(texts, "18446744073709551615 -3 ? ? ? ");
}

TEST(JsonCursor, TextIsDecoded) {
  json_cursor cursor(R"(["plain", "a\"b\\\u00e9", "\ud83d\ude00"])");
  std::string texts;
  cursor.each_entry([&] { texts.append(cursor.text().value()).append("|"); });
  EXPECT_EQ(texts, "plain|a\"b\\\xc3\xa9|\xf0\x9f\x98\x80|");
}

TEST(JsonCursor, WhatIsSomethingElseIsNotTaken) {
  json_cursor cursor("7");
  EXPECT_FALSE(cursor.text());
  EXPECT_FALSE(cursor.boolean());
  EXPECT_FALSE(cursor.each_entry([] {}));
  EXPECT_FALSE(cursor.first_member());
  EXPECT_EQ(cursor.number().value().magnitude, 7u);
}

}  // namespace
}  // namespace trace
