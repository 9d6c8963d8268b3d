#include "runner/grade/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processes/cannot_do.h"

namespace runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Csv, QuotedFieldsHoldSeparatorsQuotesAndLines) {
  const csv_table table =
      parse_csv("\xEF\xBB\xBFStudent,Path\r\n\"Lovelace, Ada\",\"a \"\"b\"\"\nc\"\r\n\r\nBob\n");
  EXPECT_THAT(table.header, ElementsAre("Student", "Path"));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(table.rows[0], ElementsAre("Lovelace, Ada", "a \"b\"\nc"));
  EXPECT_THAT(table.rows[1], ElementsAre("Bob", ""));
  EXPECT_EQ(table.column({"id", "student"}), 0U);
  EXPECT_EQ(table.column({"id"}), std::nullopt);
}

TEST(Csv, SemicolonsSeparateWhereTheHeaderHasThem) {
  EXPECT_THAT(parse_csv("student;path\nAda;a,b\n").rows.at(0), ElementsAre("Ada", "a,b"));
}

TEST(Csv, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_THAT([] { parse_csv("a,b\n1,2\n1,2,3\n"); },
              ThrowsMessage<processes::cannot_do>(HasSubstr("line 3 has 3 fields")));
  EXPECT_THAT([] { parse_csv("a,b\n\"1,2\n"); },
              ThrowsMessage<processes::cannot_do>(HasSubstr("quote of line 2")));
  EXPECT_THROW(parse_csv(""), processes::cannot_do);
}

TEST(Csv, WhatIsWrittenIsReadBackAndIsNoFormula) {
  const std::string line = csv_line({"=HYPERLINK(\"x\")", "a,b", "-1", "", "ok"});
  EXPECT_EQ(line, "\"'=HYPERLINK(\"\"x\"\")\",\"a,b\",'-1,,ok\n");
  EXPECT_THAT(parse_csv("1,2,3,4,5\n" + line).rows.at(0),
              ElementsAre("'=HYPERLINK(\"x\")", "a,b", "'-1", "", "ok"));
}

TEST(Csv, PrintableTextIsUtf8WithoutControlCharacters) {
  EXPECT_EQ(printable("A\xC3\xA4\xFF\x1B[1m\n\xED\xA0\x80"),
            "A\xC3\xA4\xEF\xBF\xBD [1m \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(printable("李明 Ольга"), "李明 Ольга");
}

}  // namespace
}  // namespace runner
