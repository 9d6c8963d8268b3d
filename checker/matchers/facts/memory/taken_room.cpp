#include "matchers/facts/memory/taken_room.h"

#include <fmt/core.h>

#include <vector>

#include "analysis/places.h"
#include "matchers/facts/stages.h"
#include "matchers/facts/words.h"
#include "report/wording/names.h"

namespace matchers {

report::mistake tell_of_taken_room(const run_facts& run, const trace::operation& late,
                                   const trace::operation& holder, report::evidence& why) {
  const trace::recording& recording = run.recording();
  if (late.priority < holder.priority) {
    why.observation += fmt::format(" A block that runs is never interrupted; {} has {}.",
                                   in_words(recording, holder), blocks_in_words(holder));
    lead_to(why, recording, holder);
    if (blocks_of(late) > blocks_of(holder)) {
      why.observation += fmt::format(" Each block needs a place, and {} has {}, even more.",
                                     in_words(recording, late), blocks_in_words(late));
      lead_to(why, recording,
              std::vector{analysis::place_of_operation(recording, late.id),
                          analysis::place_of_operation(recording, holder.id)});
    }
    return report::mistake::room_taken;
  }
  why.observation +=
      fmt::format(" It is not more urgent than that one: {} has priority {}, {} has {}.",
                  in_words(recording, late), late.priority, in_words(recording, holder), holder.priority);
  // Of two that are equally urgent the one that holds the room is too urgent, unless neither is urgent at all.
  const bool is_holder_to_blame = late.priority == holder.priority && holder.priority < 0;
  const trace::stream& stream = recording.stream_at((is_holder_to_blame ? holder : late).stream);
  const trace::call_id made_by = stream.created_by;
  if (made_by != 0) lead_to(why, recording, recording.call_at(made_by).where);
  return report::mistake::wrong_priority;
}

}  // namespace matchers
