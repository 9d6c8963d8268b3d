#include "report/sample_sweep.h"

namespace report {

sweep sample_sweep() {
  using std::chrono::microseconds;
  sweep sweep;
  sweep.lesson = 4;
  sweep.title = "Many streams";
  sweep.source = "lessons/04_multi_stream/multi_stream.cu";
  sweep.source_hash = "abc";
  sweep.profile = "teaching";
  sweep.seed = 7;
  sweep.function = "add_in_chunks()";
  sweep.parameters = {"streams", "chunks"};
  sweep.chosen = setting{2, 8};
  sweep.serial = microseconds{1990};
  sweep.attainable = microseconds{1240};
  const int times[3][4] = {{1980, 2010, 2100, 2250}, {1980, 1550, 1370, 1300}, {1980, 1550, 1350, 1280}};
  for (int stream = 0; stream < 3; ++stream) {
    for (int chunk = 0; chunk < 4; ++chunk)
      sweep.points.push_back({{1 << stream, 1 << chunk}, microseconds{times[stream][chunk]}, true});
  }
  return sweep;
}

}  // namespace report
