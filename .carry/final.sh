set -u
cmake --preset default > $OUT/configure.log 2>&1
cmake --build build --target learner conformance -j16 > $OUT/build.log 2>&1; tail -1 $OUT/build.log
S=build/bin/streamlings
for l in 01 03 04 05 11; do f=$(ls solutions/${l}_*/*.cu); cp $f /tmp/answer_$l.cu; for t in first edit edit; do echo "// $t $RANDOM" >> /tmp/answer_$l.cu; b=$(date +%s.%N); $S check $l --file /tmp/answer_$l.cu --backend gpu --json > /tmp/j 2>/dev/null; r=$?; e=$(date +%s.%N); python3 -c "
import json; j=json.load(open('/tmp/j')); r=j.get('record',j); print('$l $t rc=$r %.2f s'%($e-$b), r['verdict'], 'build %.2f run %.2f'%(r['build_seconds'],r['run_seconds']))"; done; done 2>&1 | tee $OUT/checks.txt
timeout 60 checker/tools/conformance_table.sh graph_memory barrier_objects graphs launches async_copies atomics > $OUT/conf.txt 2>&1; tail -1 $OUT/conf.txt; grep -vE 'virtual pass +gpu pass' $OUT/conf.txt | head -20
RECORDS=$OUT/x timeout -s INT 150 checker/tools/gpu_sets.sh 1 solution08 solution09 solution10 solution12 solution14 skeleton wrong13 wrong01 right10 wrong10 > /tmp/sets.txt 2>&1; cp /tmp/sets.txt $OUT/sets.txt; rm -rf $OUT/x; tail -1 /tmp/sets.txt; grep -vE ' 0 otherwise' /tmp/sets.txt | cut -c1-300 | head -30
