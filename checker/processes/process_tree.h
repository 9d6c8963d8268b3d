// process_tree.h: which processes run below which, and the end of those that nobody wants any more.
//
//     processes::adopt_orphans();
//     ... a child of ours ends without having ended its own children ...
//     processes::end_children(processes::adopted_children, 0s, 5s);
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace processes {

/// The children of a process that run or are not reaped yet.
std::vector<pid_t> children_of(pid_t process);

/// The names of the programs of these children.
std::vector<std::string> children_names(pid_t process);

/// True when a signal or a debugger has stopped it.
bool is_stopped(pid_t process);

/// Sends a signal to all processes below one. SIGKILL goes to their process groups too, as far as they are not
/// that of this process, so that none of a group can fork away.
void signal_below(pid_t process, int signal);

/// From here on, orphans of children of this process become its children too.
void adopt_orphans();

/// Forks. The child counts as started by this process until wait_for() or forget_child().
pid_t fork_child();
/// Of a child that has been reaped.
void forget_child(pid_t child);

/// Lists children of this process that are to be ended.
using children_function = std::function<std::vector<pid_t>()>;

/// Ends and reaps these children, and all below them, until none is left. They get SIGTERM, and SIGKILL after the grace, so
/// that they can remove their files. False when some were left at the limit, which counts from the end of the grace.
bool end_children(const children_function& children, std::chrono::milliseconds grace,
                  std::chrono::milliseconds limit);

/// Orphans that became children of this process.
std::vector<pid_t> adopted_children();

}  // namespace processes
