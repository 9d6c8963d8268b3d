#!/usr/bin/env python3
"""Compares two outputs of run_plans: how near totals and stream ends are.

    compare_plans.py EXPECTED ACTUAL [--worst N]     percent within 5 and 10 % (totals), 10 and 25 % (stream ends)
"""
import argparse


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
    arguments = parser.parse_args()
    expected_totals, expected = times_of(arguments.expected)
    actual_totals, actual = times_of(arguments.actual)
    plans = [plan for plan in expected if plan in actual]
    totals = {plan: actual_totals[plan] / expected_totals[plan] - 1 for plan in plans}
    streams = {plan: [a / e - 1 for e, a in zip(expected[plan], actual[plan])] for plan in plans}
    ends = [each for plan in plans for each in streams[plan]]
    print(f"{len(plans)} plans, {len(ends)} stream ends")
    print(f"totals       within  5 %: {percent_within(totals.values(), 0.05):3.0f} %   "
          f"within 10 %: {percent_within(totals.values(), 0.10):3.0f} %")
    print(f"stream ends  within 10 %: {percent_within(ends, 0.10):3.0f} %   "
          f"within 25 %: {percent_within(ends, 0.25):3.0f} %")
    worst = sorted(plans, key=lambda plan: -max(map(abs, streams[plan])))
    for plan in worst[:arguments.worst]:
        row = "  ".join(f"{e:.1f}>{a:.1f}({100 * (a / e - 1):+.0f}%)" for e, a in zip(expected[plan], actual[plan]))
        print(f"{plan:5} {row}")


if __name__ == "__main__":
    main()
