#!/usr/bin/env python3
"""Prints random stream programs as plans (plan.cuh): 8 to 48 operations over 1 to 8 streams.

    make_plans.py FIRST_SEED COUNT [--two-devices] > plans.txt       each plan's id is its seed

With --two-devices the streams belong to two GPUs, and copies go between these in place of copies and memsets inside one.
"""
import argparse
import math
import random

THREADS = (32, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1024)
MULTIPROCESSORS = 132  # of the H200: kernels smaller than it, as large, and larger


def log_uniform(source, low, high):
    return math.exp(source.uniform(math.log(low), math.log(high)))


def size(source, low, high):
    """A power of two, or any multiple of four."""
    bytes_count = log_uniform(source, low, high)
    if source.random() < 0.5:
        return 1 << round(math.log2(bytes_count))
    return max(4, int(bytes_count) // 4 * 4)


def kernel(source):
    threads = source.choice(THREADS)
    room = 2048 // threads * MULTIPROCESSORS
    kind = source.random()
    if kind < 0.35:
        blocks = source.randint(1, 32)
    elif kind < 0.65:
        blocks = source.randint(33, MULTIPROCESSORS)
    elif kind < 0.85:
        blocks = source.randint(MULTIPROCESSORS, room)
    else:
        blocks = source.randint(room, 3 * room)
    blocks = max(1, min(blocks, 400_000 // threads))
    shared = source.choice((1 << 10, 4 << 10, 16 << 10, 32 << 10, 48 << 10)) if source.random() < 0.2 else 0
    nanoseconds = int(log_uniform(source, 2_000, 150_000 if blocks <= room else 40_000))
    return f"{blocks} {threads} {shared} {nanoseconds}"


def plan(seed, has_two_devices):
    source = random.Random(seed)
    streams = source.randint(2 if has_two_devices else 1, 8)
    lines = [f"plan {seed} open"]
    has_priorities = source.random() < 0.4
    for stream in range(streams):
        priority = source.choice((0, 0, -1, -3, -5)) if has_priorities else 0
        lines.append(f"stream {priority} {stream % 2}" if has_two_devices else f"stream {priority}")
    recorded = []
    for _ in range(source.randint(8, 48)):
        stream = source.randrange(streams)
        kind = source.random()
        if kind < 0.35:
            lines.append(f"kernel {stream} {kernel(source)}")
        elif kind < 0.53:
            lines.append(f"up {stream} {size(source, 256, 8 << 20)}")
        elif kind < 0.71:
            lines.append(f"down {stream} {size(source, 256, 8 << 20)}")
        elif kind < 0.87 and has_two_devices:
            lines.append(f"{source.choice(('push', 'pull'))} {stream} {size(source, 256, 64 << 20)}")
        elif kind < 0.79:
            lines.append(f"inside {stream} {size(source, 1 << 10, 64 << 20)}")
        elif kind < 0.87:
            lines.append(f"memset {stream} {size(source, 1 << 10, 64 << 20)}")
        elif kind < 0.93 or not recorded:
            recorded.append(stream)
            lines.append(f"record {stream} {len(recorded)}")
        else:
            event = source.randint(1, len(recorded))
            others = [each for each in range(streams) if each != recorded[event - 1]] or [stream]
            lines.append(f"wait {source.choice(others)} {event}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--two-devices", action="store_true")
    arguments = parser.parse_args()
    for seed in range(arguments.first, arguments.first + arguments.count):
        print(plan(seed, arguments.two_devices))


if __name__ == "__main__":
    main()
