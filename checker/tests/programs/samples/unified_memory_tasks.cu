// After the sample UnifiedMemoryStreams: tasks of random size, each a matrix times a vector in managed
// memory, are worked on by a few host threads with a stream each. Small tasks the thread does itself, large
// ones its stream does. Each task's memory is attached to whoever uses it, so that host and device may work
// at the same time even where the host must otherwise keep away from managed memory while a kernel runs.
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "check.h"

constexpr int tasks = 40;
constexpr int workers = 4;
constexpr int min_rows = 32;
constexpr int max_rows = 256;
constexpr int rows_for_the_device = 96;

__global__ void multiply(const double* matrix, const double* vector, double* product, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int column = 0; column < rows; ++column) sum += matrix[row * rows + column] * vector[column];
  product[row] = sum;
}

// Small whole numbers: every order of adding gives the same sum.
double matrix_element(int row, int column) { return (3 * row + column) % 7; }
double vector_element(int column) { return column % 5 - 2; }

struct task {
  int rows = 0;
  double* memory = nullptr;  // the matrix, the vector and the product, one behind the other
  bool was_on_device = false;

  double* matrix() const { return memory; }
  double* vector() const { return memory + rows * rows; }
  double* product() const { return vector() + rows; }
};

task make_task(int rows) {
  task made;
  made.rows = rows;
  CUDA(cudaMallocManaged(&made.memory, (rows * rows + 2 * rows) * sizeof(double), cudaMemAttachHost));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < rows; ++column)
      made.matrix()[row * rows + column] = matrix_element(row, column);
    made.vector()[row] = vector_element(row);
    made.product()[row] = -1;
  }
  return made;
}

bool is_right(const task& done) {
  for (int row = 0; row < done.rows; ++row) {
    double sum = 0;
    for (int column = 0; column < done.rows; ++column)
      sum += matrix_element(row, column) * vector_element(column);
    if (done.product()[row] != sum) return false;
  }
  return true;
}

void work_on_host(const task& todo) {
  for (int row = 0; row < todo.rows; ++row) {
    double sum = 0;
    for (int column = 0; column < todo.rows; ++column)
      sum += todo.matrix()[row * todo.rows + column] * todo.vector()[column];
    todo.product()[row] = sum;
  }
}

void work_on_device(const task& todo, cudaStream_t stream) {
  CUDA(cudaStreamAttachMemAsync(stream, todo.memory, 0, cudaMemAttachSingle));
  multiply<<<(todo.rows + 63) / 64, 64, 0, stream>>>(todo.matrix(), todo.vector(), todo.product(), todo.rows);
  CUDA(cudaGetLastError());
  CUDA(cudaStreamAttachMemAsync(stream, todo.memory, 0, cudaMemAttachHost));
}

/// Every so manieth task, starting with the one of the worker's number.
void work(std::vector<task>& all, int worker, float& device_ms) {
  cudaStream_t stream;
  cudaEvent_t begin, end;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  for (int i = worker; i < tasks; i += workers) {
    task& todo = all[i];
    todo.was_on_device = todo.rows >= rows_for_the_device;
    if (!todo.was_on_device) {
      work_on_host(todo);
      continue;
    }
    float ms = 0;
    CUDA(cudaEventRecord(begin, stream));
    work_on_device(todo, stream);
    CUDA(cudaEventRecord(end, stream));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    device_ms += ms;
  }
  CUDA(cudaEventDestroy(begin));
  CUDA(cudaEventDestroy(end));
  CUDA(cudaStreamDestroy(stream));
}

int main() {
  std::mt19937 random(2026);
  std::vector<task> all;
  for (int i = 0; i < tasks; ++i)
    all.push_back(make_task(min_rows + static_cast<int>(random() % (max_rows - min_rows))));

  float device_ms[workers] = {};
  std::vector<std::thread> threads;
  const auto begin = std::chrono::steady_clock::now();
  for (int worker = 0; worker < workers; ++worker)
    threads.emplace_back([&all, &device_ms, worker] { work(all, worker, device_ms[worker]); });
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;

  int on_device = 0, right = 0;
  for (const task& done : all) {
    on_device += done.was_on_device;
    right += is_right(done);
    CUDA(cudaFree(done.memory));
  }
  std::printf("%d tasks, %d on the device, %d right, %.3f ms\n", tasks, on_device, right, passed.count());
  int busy_streams = 0;
  for (const float busy_ms : device_ms) {
    std::printf("  a stream was busy for %.3f ms\n", busy_ms);
    busy_streams += busy_ms > 0;
  }
  return claim(right == tasks, "every task has the right result") +
         claim(on_device > 0 && on_device < tasks, "host and device both worked") +
         claim(busy_streams == workers, "every thread had work for its stream");
}
