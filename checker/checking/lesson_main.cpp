// The main of every check program. STREAMLINGS_CHECKOUT and STREAMLINGS_LESSON come from
// streamlings_lesson().
#include "checking/check_main.h"

int main(int argument_count, char** arguments) {
  return checking::check_main(argument_count, arguments,
                              {STREAMLINGS_CHECKOUT, STREAMLINGS_LESSON, checking::own_rubric()});
}
