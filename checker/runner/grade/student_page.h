// student_page.h: one page about one student: verdicts, reasons, timelines; nothing of the solution.
//
// It is one file and makes no request.
//
//     processes::write_whole("ada.html", runner::student_page(book, student, rules, results));
#pragma once

#include <string>

#include "runner/grade/gradebook.h"
#include "runner/grade/results_folder.h"
#include "runner/grade/scoring.h"

namespace runner {

/// The page. A record or a recording that cannot be read is left out, and the page says so.
std::string student_page(const gradebook& book, const student_grades& student, const scoring_rules& rules,
                         const results_folder& results);

}  // namespace runner
