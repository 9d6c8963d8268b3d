#include "exercise/driver_tools.h"
#include "exercise/exercise_child.h"

int main() { return exercise_child::run(&drive, &take_tools); }
