#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "parsing/pattern.h"
#include "processes/cannot_do.h"
#include "processes/child_process.h"
#include "processes/files.h"
#include "report/exit_status.h"
#include "runner/grade/class_checks.h"
#include "runner/grade/class_page.h"
#include "runner/grade/class_plan.h"
#include "runner/grade/digest.h"
#include "runner/grade/gradebook.h"
#include "runner/grade/platforms.h"
#include "runner/grade/results_folder.h"
#include "runner/grade/scoring.h"
#include "runner/grade/slurm.h"
#include "runner/grade/student_page.h"
#include "runner/grade/submissions.h"
#include "runner/grade/tables.h"
#include "runner/learner/lesson_check.h"
#include "runner/verbs.h"
#include "trace/run_control.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

struct grade_arguments {
  fs::path submissions;
  fs::path results;
  fs::path roster;
  std::string lessons;
  std::optional<int> jobs;
  std::string shard;
  bool is_collecting = false;
  std::string slurm;
  std::string deadline;
  fs::path policy;
  std::vector<std::string> exports;
  grade_settings settings;
};

/// What is below the level that was asked for is refused before anything is read.
void require_isolation(const grade_settings& settings) {
  if (settings.isolation == processes::isolation::none) return;
  if (settings.backend == trace::backend::gpu) {
    throw processes::cannot_do(
        "Programs on a real GPU run without a sandbox, with all rights of yours. --isolation none grades them all the same.");
  }
  const processes::isolation_probe& probed = processes::probed_isolation();
  if (settings.isolation <= probed.best) return;
  throw processes::cannot_do(fmt::format(
      "Submissions run in a sandbox of the level {} at least; this machine allows {}. {} --isolation none runs them with all rights "
      "of yours.",
      processes::word_of(settings.isolation), processes::word_of(probed.best), probed.why_no_more));
}

std::size_t jobs_for(const grade_arguments& arguments) {
  if (arguments.jobs) return static_cast<std::size_t>(*arguments.jobs);
  if (arguments.settings.backend == trace::backend::gpu) return 1;
  return trace::usable_cores();
}

/// Of "3/16"; of "16" with the number that Slurm or Kubernetes has given this job.
shard shard_of(const std::string& text) {
  static const parsing::pattern form(R"((?:(\d{1,5})/)?(\d{1,5}))");
  const auto found = form.match(text);
  if (!found)
    throw processes::cannot_do(
        "--shard is 3/16, the third of sixteen, or 16 in a job that Slurm or Kubernetes has numbered.");
  const auto number = [](const std::string& digits) { return static_cast<std::size_t>(std::stoul(digits)); };
  const auto variable = [&](const char* name) -> std::optional<std::size_t> {
    const char* value = std::getenv(name);
    if (!value || !parsing::pattern(R"(\d{1,9})").match(value)) return std::nullopt;
    return number(value);
  };
  const std::size_t count = number((*found)[2]);
  if (!(*found)[1].empty()) {
    const std::size_t share = number((*found)[1]);
    if (share < 1 || share > count)
      throw processes::cannot_do(fmt::format("--shard: there is no shard {} of {}.", share, count));
    return {share - 1, count};
  }
  if (count == 0) throw processes::cannot_do("--shard: there is no shard of 0.");
  // An array may count from 0 or from 1, and the array of those that were lost has gaps: each number means one share.
  for (const char* name : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}) {
    if (const auto task = variable(name)) return {*task % count, count};
  }
  throw processes::cannot_do(fmt::format(
      "--shard {} needs SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX; without them --shard 1/{}, 2/{}, ...",
      text, text, text));
}

scoring_rules rules_for(const grade_arguments& arguments, const course::checkout& checkout) {
  scoring_rules rules;
  if (!arguments.policy.empty()) rules = rules_in(arguments.policy, checkout);
  if (arguments.deadline.empty()) return rules;
  rules.deadline = time_of(arguments.deadline);
  if (!rules.deadline)
    throw processes::cannot_do(
        "--deadline is 2026-11-20, \"2026-11-20 18:00\" (UTC) or 2026-11-20T18:00+01:00.");
  return rules;
}

/// The command that grades the same class elsewhere on this cluster, but for its share.
std::vector<std::string> command_of(const grade_arguments& arguments) {
  const auto whole = [](const fs::path& path) { return fs::absolute(path).lexically_normal().string(); };
  std::vector<std::string> words{processes::sibling_program("streamlings").string(), "grade", whole(arguments.submissions)};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  const auto add_file = [&](const char* option, const fs::path& file) {
    add(option, file.empty() ? "" : whole(file));
  };
  const grade_settings& settings = arguments.settings;
  add_file("--output", arguments.results);
  add_file("--roster", arguments.roster);
  add_file("--policy", arguments.policy);
  add("--lessons", arguments.lessons);
  add("--deadline", arguments.deadline);
  for (const std::string& name : arguments.exports) add("--export", name);
  add("--backend", settings.backend == trace::backend::gpu ? "gpu" : "");
  add("--profile", fs::exists(settings.profile) ? whole(settings.profile) : settings.profile);
  add("--seed", settings.seed ? std::to_string(*settings.seed) : "");
  add("--isolation", std::string(processes::word_of(settings.isolation)));
  return words;
}

int submit_class(const grade_arguments& arguments, const std::vector<std::string>& sbatch_options) {
  slurm_request request = slurm_tasks(arguments.slurm);
  request.results = results_folder(arguments.results).path();
  request.needs_gpu = arguments.settings.backend == trace::backend::gpu;
  request.jobs = arguments.jobs;
  request.sbatch_options = sbatch_options;
  request.grade = command_of(arguments);
  const slurm_jobs jobs = submit(request);
  fmt::print(
      "Slurm has job {} for the checks, in {} tasks, and job {} for the gradebook, which runs after them.\n",
      jobs.checks, request.tasks, jobs.collection);
  fmt::print("squeue --jobs {},{} shows where they are; what they say is in {}.\n", jobs.checks,
             jobs.collection, (request.results / "slurm").string());
  return report::exit_status::passed;
}

/// The tables, the page of the class, and what --export asks for.
class results_writer {
 public:
  results_writer(const grade_arguments& arguments, const gradebook& book, const scoring_rules& rules,
                 const results_folder& results)
      : arguments_(arguments), book_(book), rules_(rules), results_(results), names_(file_names_of(book)) {}

  void write() const {
    write_file("gradebook.csv", gradebook_csv(book_, rules_));
    write_file("grades.jsonl", grades_json_lines(book_));
    for (const std::string& name : arguments_.exports) write_export(name);
    std::vector<std::string> links;
    if (fs::is_directory(results_.path() / "students")) {
      for (const std::string& name : names_) links.push_back("students/" + name + ".html");
    }
    write_file("class.html", class_page(book_, rules_, links));
  }

 private:
  void write_export(const std::string& name) const {
    if (name == "students") {
      for_each_student("students", ".html", [&](const student_grades& student) {
        return student_page(book_, student, rules_, results_);
      });
    } else if (name == "gradescope") {
      for_each_student("gradescope", ".json", [&](const student_grades& student) {
        return gradescope_json(book_, student, rules_, results_);
      });
    } else if (name == "classroom") {
      for_each_student("classroom", ".json", [&](const student_grades& student) {
        return classroom_json(book_, student, results_);
      });
    } else if (name == "canvas") {
      write_file(
          "canvas.csv",
          canvas_csv(book_, rules_, arguments_.roster.empty() ? csv_table() : read_csv(arguments_.roster)));
    } else if (name == "moodle") {
      write_file("moodle.csv", moodle_csv(book_, rules_));
    } else if (name == "junit") {
      write_file("junit.xml", junit_xml(book_, results_));
    } else if (name == "similarity") {
      write_similarity_input();
    }
  }

  /// For JPlag, Dolos and their like: for each lesson a folder a student, and the file as it comes, which all have in common. JPlag
  /// reads whole functions; `own_lines` is for those that read parts.
  void write_similarity_input() const {
    fs::remove_all(results_.path() / "similarity");
    for (std::size_t i = 0; i < book_.lessons.size(); ++i) {
      const course::lesson& lesson = book_.lessons[i];
      const std::string folder = "similarity/" + lesson.folder + "/";
      const std::string name = lesson.slug + ".cpp";  // .cu is a language that these tools do not know
      const std::string skeleton = processes::read_whole(lesson.skeleton());
      write_file(folder + "base/" + name, skeleton);
      for (std::size_t student = 0; student < book_.students.size(); ++student) {
        const std::string& hash = book_.students[student].grades[i].file_hash;
        if (hash.empty()) continue;
        const std::string submitted = processes::read_whole(results_.file(hash, lesson.slug + ".cu"));
        write_file(folder + "submissions/" + names_[student] + "/" + name, submitted);
        write_file(folder + "own_lines/" + names_[student] + "/" + name, own_lines(submitted, skeleton));
      }
    }
  }

  template <typename Made>
  void for_each_student(const std::string& folder, const std::string& suffix, const Made& made) const {
    fs::remove_all(results_.path() / folder);
    for (std::size_t i = 0; i < book_.students.size(); ++i)
      write_file(folder + "/" + names_[i] + suffix, made(book_.students[i]));
  }

  void write_file(const std::string& name, const std::string& content) const {
    processes::write_whole(results_.path() / name, content);
  }

  const grade_arguments& arguments_;
  const gradebook& book_;
  const scoring_rules& rules_;
  const results_folder& results_;
  std::vector<std::string> names_;
};

std::size_t undecided_in(const gradebook& book) {
  std::size_t count = 0;
  for (const student_grades& student : book.students) {
    for (const runner::grade& one : student.grades) count += !one.points;
  }
  return count;
}

int grade_class(grade_arguments& arguments, const std::vector<std::string>& sbatch_options) {
  if (!has_digests()) sha256("");  // says what to install
  if (arguments.slurm.empty() && !sbatch_options.empty())
    throw processes::cannot_do("What follows -- goes to sbatch, with --slurm.");
  if (arguments.slurm.empty())
    require_isolation(arguments.settings);  // else it is asked for where the checks run
  const course::checkout checkout = course::checkout::open();
  if (!arguments.lessons.empty()) arguments.settings.lessons = lessons_in(checkout, arguments.lessons);
  const std::vector<submission> submissions = submissions_in(arguments.submissions, arguments.roster);
  const scoring_rules rules = rules_for(arguments, checkout);
  if (!arguments.slurm.empty()) return submit_class(arguments, sbatch_options);
  const results_folder results(arguments.results);
  arguments.settings.wants_dates = rules.deadline.has_value();
  check_share share{.jobs = jobs_for(arguments)};
  if (!arguments.shard.empty()) share.shard = shard_of(arguments.shard);
  share.is_collecting = arguments.is_collecting;
  const class_plan plan = planned(checkout, submissions, arguments.settings, results);
  check_counts counts;
  try {
    trace::share_cores(share.jobs);
    counts = run_checks(checkout, plan, arguments.settings, results, share);
  } catch (const processes::interrupted&) {
    fmt::print(stderr, "streamlings: stopped. The same command goes on where it was.\n");
    throw;
  }
  fmt::print("{} submissions, {} lessons: {} checks run, {} known before", plan.rows.size(),
             plan.lessons.size(), counts.run, counts.known);
  fmt::print("{}.\n", counts.left_out > 0 ? fmt::format(", {} not done here", counts.left_out) : "");
  if (!arguments.shard.empty()) return report::exit_status::passed;  // the gradebook is for whoever collects
  const gradebook book = gradebook_of(plan, results);
  results_writer(arguments, book, rules, results).write();
  for (const char* name : {"gradebook.csv", "class.html"})
    fmt::print("{}\n", (results.path() / name).string());
  const std::size_t undecided = undecided_in(book);
  if (undecided == 0) return report::exit_status::passed;
  fmt::print(
      stderr,
      "streamlings: {} results could not be decided; they count for nobody and against nobody. Grading again tries those that "
      "failed because of this machine.\n",
      undecided);
  return report::exit_status::undecided;
}

}  // namespace

void add_grade(parsing::command& program, const std::vector<std::string>& sbatch_options) {
  parsing::command& verb = program.verb("grade", "For instructors: check the submissions of a class");
  verb.footer(
      "Example: streamlings grade handed_in -o results --lessons 01-04 --roster class.csv\n"
      "SUBMISSIONS is a folder with a folder, a git clone, a .zip or a .tar for each student, or a CSV file with the columns\n"
      "student and path. Lesson files are found by their names, wherever they lie. RESULTS gets gradebook.csv, grades.jsonl,\n"
      "class.html and the record of each check. After Ctrl-C, or whatever stopped it, the same command goes on; nothing is checked twice.\n"
      "Exit status: 0 all is graded, whatever the grades; 2 something could not be done or decided.");
  const auto arguments = std::make_shared<grade_arguments>();
  verb.option("submissions", arguments->submissions, "Folder or CSV file").required();
  verb.option("-o,--output", arguments->results, "Folder of the results").required().called("RESULTS");
  verb.option("--lessons", arguments->lessons,
              "Which: 01-04,06; without it those that somebody has handed in");
  verb.option("--roster", arguments->roster,
              "CSV file with the class, in a column student (or id, email, name)");
  verb.option("--policy", arguments->policy,
              "JSON file with weights, late rules and a cap where a race was found");
  verb.option(
      "--deadline", arguments->deadline,
      "Such as \"2026-11-20 18:00\" (UTC): a clone has its last commit's date, a CSV file a column date");
  verb.option(
          "--export", arguments->exports,
          "Also write students (a page each), canvas, moodle, gradescope, classroom, junit, similarity; may be repeated")
      .one_of({"students", "canvas", "moodle", "gradescope", "classroom", "junit", "similarity"});
  const parsing::argument shard =
      verb.option("--shard", arguments->shard,
                  "Only do this share of the checks: 3/16; or 16 in a numbered job of Slurm or Kubernetes");
  const parsing::argument collect =
      verb.flag("--collect", arguments->is_collecting,
                "Check nothing: write the gradebook from the records that are there")
          .excludes(shard);
  verb.option(
          "--slurm", arguments->slurm,
          "Submit an array of so many tasks to Slurm, and a job that collects; 16%4: four at a time. What follows -- goes to sbatch")
      .excludes(shard)
      .excludes(collect);
  verb.option("--jobs", arguments->jobs, "Checks at a time; without it one a processor").between(1, 1024);
  verb.choice("--backend", arguments->settings.backend, backend_words,
              "virtual, or gpu: the GPU of this machine");
  verb.option("--profile", arguments->settings.profile,
              "Which virtual GPU: a name of `streamlings profiles`, or a file");
  verb.option("--seed", arguments->settings.seed,
              "In the place of the secret of the class that RESULTS keeps");
  verb.choice("--isolation", arguments->settings.isolation,
              {{"none", processes::isolation::none},
               {"landlock+seccomp", processes::isolation::landlock_seccomp},
               {"bwrap+seccomp", processes::isolation::bwrap_seccomp},
               {"bwrap+cgroup+seccomp", processes::isolation::bwrap_cgroup_seccomp}},
              "The sandbox below which nothing is run; bwrap+seccomp without it");
  verb.does([arguments, &sbatch_options] { return grade_class(*arguments, sbatch_options); });
}

}  // namespace runner
