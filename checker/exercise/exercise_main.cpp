#include "exercise/exercise.h"
#include "exercise/exercise_child.h"

int main() { return exercise_child::run(&drive); }
