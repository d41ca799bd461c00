"""Frequent pairs: how fast is lookalike compared with other libraries, and can it process 2 GB within 256 MiB?

python benchmarks/frequent_pairs.py --file retail.dat.gz --supports 10 100 882 [--rounds 5]
python benchmarks/frequent_pairs.py --file groceries.csv --separator , --supports 10 98
python benchmarks/frequent_pairs.py --large 2048                    # MiB; generated with a fixed seed
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from common import build_files, generated_baskets, measure, peer_environment

REQUIREMENTS = Path(__file__).with_name("frequent-requirements.txt")
OURS = ("lookalike-apriori", "lookalike-pcy")
PEERS = ("pyfim-apriori", "pyfim-eclat", "pyfim-fpgrowth", "efficient-apriori", "mlxtend")
LARGE_SUPPORT = 2000
LARGE_MEMORY = "256MiB"
"""Memory budget of the whole process."""
LIMIT = 60.0
"""Seconds; a contender that takes longer runs only once."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, help="basket file (default: 4 MiB of generated baskets)")
    parser.add_argument("--separator", default="")
    parser.add_argument("--supports", type=int, nargs="+", default=[20, 200])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", type=int, metavar="MIB", help="run only lookalike, on a generated file of this size")
    parser.add_argument("--memory", default=LARGE_MEMORY)
    options = parser.parse_args()
    print(measure.machine())
    if options.large:
        large(options.large, options.memory)
    else:
        path = options.file or generated_baskets.write(4 << 20)
        for support in options.supports:
            compare_with_peers(path.absolute(), options.separator, support, options.rounds)


def compare_with_peers(path: Path, separator: str, support: int, rounds: int) -> None:
    peers = str(peer_environment.peers_python(build_files.FOLDER / "frequent-peers", REQUIREMENTS).absolute())
    arguments = [str(path), str(support), separator]
    contenders = {
        f"{name}, {threads} thread{'s' * (threads > 1)}": command(sys.executable, name, *arguments, "", str(threads))
        for name in OURS
        for threads in (1, 2)
    }
    contenders |= {name: command(peers, name, *arguments) for name in PEERS}
    costs = measure.interleaved(contenders, rounds, LIMIT)
    print(f"\n{path.name}, support {support:,}; median of {rounds}; total times include the start of Python\n")
    print("| | read and count s | total s | total CPU s | peak MiB | pairs | runs |\n|---|---|---|---|---|---|---|")
    answers = set()
    for name, cost in costs.items():
        if isinstance(cost, str):
            print(f"| {name} | failed: {cost[:60]} | | | | | |")
            continue
        answers.add((cost.answer["pairs"], cost.answer["top"]))
        print(
            f"| {name} | {cost.answer['seconds']:.3f} | {cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak_mib:,.0f} "
            f"| {cost.answer['pairs']:,} | {cost.runs} |",
            flush=True,
        )
    print("\nAll libraries find the same pairs." if len(answers) == 1 else f"\nTHE RESULTS DIFFER: {sorted(answers)}")


def large(mebibytes: int, memory: str) -> None:
    path = generated_baskets.write(mebibytes << 20).absolute()
    print(f"\n{path.name}, {path.stat().st_size / 1e9:.2f} GB, support {LARGE_SUPPORT:,}, memory {memory}, 2 threads\n")
    print("| | wall s | CPU s | peak MiB | pairs |\n|---|---|---|---|---|")
    for name in ("lookalike-command", "lookalike-pcy", "lookalike-apriori"):
        cost = measure.run(command(sys.executable, name, str(path), str(LARGE_SUPPORT), "", memory, "2"))
        print(
            f"| {name} | {cost.wall:.1f} | {cost.cpu:.1f} | {cost.peak_mib:,.0f} | {cost.answer['pairs']:,} |",
            flush=True,
        )


def command(python: str, library: str, *arguments: str) -> list[str]:
    return [python, "-m", "contenders.frequent_pairs", library, *arguments]


if __name__ == "__main__":
    main()
