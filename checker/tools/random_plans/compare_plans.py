#!/usr/bin/env python3
"""Compares two outputs of run_plans: how near totals and stream ends are.

    compare_plans.py EXPECTED ACTUAL [--worst N] [--at-least T5 T10 E10 E25]

Says how many percent of the totals are within 5 and 10 %, and of the stream ends within 10 and 25 %; fails when one is
below what --at-least asks.
"""
import argparse
import sys


def times_of(file):
    """By plan: when all of it ended, and when each stream did; microseconds."""
    totals, ends = {}, {}
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if words and words[0] == "total":
                totals[int(words[1])] = float(words[2])
            if words and words[0] == "ends":
                ends[int(words[1])] = [float(word) for word in words[2:]]
    return totals, ends


def percent_within(differences, limit):
    return 100 * sum(abs(each) <= limit for each in differences) / len(differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("expected")
    parser.add_argument("actual")
    parser.add_argument("--worst", type=int, default=0, help="print so many of the plans with the largest differences")
    parser.add_argument("--at-least", type=float, nargs=4, default=[0, 0, 0, 0])
    arguments = parser.parse_args()
    expected_totals, expected = times_of(arguments.expected)
    actual_totals, actual = times_of(arguments.actual)
    plans = [plan for plan in expected if plan in actual]
    totals = {plan: actual_totals[plan] / expected_totals[plan] - 1 for plan in plans}
    streams = {plan: [a / e - 1 for e, a in zip(expected[plan], actual[plan])] for plan in plans}
    ends = [each for plan in plans for each in streams[plan]]
    print(f"{len(plans)} plans, {len(ends)} stream ends")
    near = [percent_within(totals.values(), 0.05), percent_within(totals.values(), 0.10),
            percent_within(ends, 0.10), percent_within(ends, 0.25)]
    print("totals       within  5 %%: %3.0f %%   within 10 %%: %3.0f %%" % tuple(near[:2]))
    print("stream ends  within 10 %%: %3.0f %%   within 25 %%: %3.0f %%" % tuple(near[2:]))
    worst = sorted(plans, key=lambda plan: -max(map(abs, streams[plan])))
    for plan in worst[:arguments.worst]:
        row = "  ".join(f"{e:.1f}>{a:.1f}({100 * (a / e - 1):+.0f}%)" for e, a in zip(expected[plan], actual[plan]))
        print(f"{plan:5} {row}")
    if any(percent < least for percent, least in zip(near, arguments.at_least)):
        sys.exit(f"less than asked: {arguments.at_least}")


if __name__ == "__main__":
    main()
