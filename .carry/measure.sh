set -u
T() { for i in 1 2; do b=$(date +%s.%N); "${@:2}" >/dev/null 2>&1; r=$?; e=$(date +%s.%N); awk -v a=$b -v c=$e -v n="$1" -v r=$r 'BEGIN{printf "%.2f s rc=%d %s\n", c-a, r, n}'; done; }
F="-std=c++17 -O2 -g -x cu -ccbin g++ -Xcompiler -fno-pie -Xcompiler -gdwarf-4 -I checker/real_gpu/include -I lessons/03_async_copy"
mkdir -p /tmp/i; ln -sfn $PWD/checker/exercise /tmp/i/exercise; F="$F -I /tmp/i"
S=solutions/03_async_copy/async_copy.cu; D=checker/lessons/03_async_copy/drive.cpp
T "lesson native" nvcc $F -arch=native -c $S -o /tmp/a.o
T "lesson sm_90" nvcc $F -arch=sm_90 -c $S -o /tmp/a.o
T "lesson sm_90 no -g" nvcc ${F/-g -x/-x} -arch=sm_90 -c $S -o /tmp/a2.o
T "drive native" nvcc $F -arch=native -c $D -o /tmp/d.o
T "drive sm_90" nvcc $F -arch=sm_90 -c $D -o /tmp/d.o
T "device query" $(dirname $(readlink -f $(which nvcc)))/__nvcc_device_query
T "nvidia-smi cap" nvidia-smi --query-gpu=compute_cap --format=csv,noheader
nvidia-smi --query-gpu=compute_cap --format=csv,noheader
T "nvcc link native" nvcc -ccbin g++ -Xcompiler -no-pie -arch=native /tmp/a.o /tmp/d.o -shared -cudart shared -o /tmp/x1
T "nvcc link sm_90" nvcc -ccbin g++ -Xcompiler -no-pie -arch=sm_90 /tmp/a.o /tmp/d.o -shared -cudart shared -o /tmp/x2
T "g++ link" g++ -shared /tmp/a.o /tmp/d.o -L/usr/local/cuda/lib64 -lcudart -o /tmp/x3
nvcc -v -arch=sm_90 --dryrun $F -c $S -o /tmp/a.o 2>&1 | cut -c1-200 | head -40
nvcc --dryrun -ccbin g++ -Xcompiler -no-pie -arch=sm_90 /tmp/a.o /tmp/d.o -cudart shared -o /tmp/x2 2>&1 | cut -c1-300
