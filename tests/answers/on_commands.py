"""Runs of the command line in this process: every command, and the files that it writes."""

from __future__ import annotations

from tests.answers.asking import Run, command

COMPARED = ("similarity", "measures", "shared", "either", "passages")
PLANNED = ("shingles", "threshold", "method", "hashes", "bands", "rows")
AUDITED = ("documents", "sample", "with_partners", "pair_recall", "cluster_recall", "precision", "missed")
"""The parts of printed JSON that are answers."""

DOCUMENTS: dict[str, Run] = {
    "command, pairs": command("pairs news.jsonl --id id --threshold 0.5 -q --out OUT/pairs.parquet"),
    "command, pairs, standard output": command("pairs news.csv --id id --threshold 0.6 -q"),
    "command, pairs, csv": command("pairs news.parquet --id id --threshold 0.5 --method lsh -q --out OUT/pairs.csv"),
    "command, pairs, tsv": command("pairs folder --threshold 0.4 --shingles words:2 --bag -q --out OUT/pairs.tsv"),
    "command, pairs, jsonl": command("pairs items.jsonl --column items --engine reference -q --out OUT/pairs.jsonl"),
    "command, pairs, several files": command("pairs parts/2.parquet parts/0.parquet --threshold 0.5 -q"),
    "command, pairs, options": command(
        "pairs news.jsonl --threshold 0.4 --recall 0.5 --method lsh --hashes 64 --seed 3 --sketch classic"
        " --shingles chars:6 --whitespace drop --case keep --normalize none --bits 32 --threads 2 -q"
    ),
    "command, pairs, candidates": command("pairs news.jsonl --verify none --bands 9 --rows 4 -q"),
    "command, pairs, baskets": command(
        "pairs purchases.csv --basket customer --column product --threshold 0.5 --ignore-common 0.4 -q"
    ),
    "command, pairs, transposed": command("pairs baskets.dat --format baskets --transpose --threshold 0.2 -q"),
    "command, pairs, malformed rows": command("pairs broken.jsonl --on-error skip --threshold 0.3 -q"),
    "command, pairs, vectors": command("pairs vectors.npy --measure cosine --threshold 0.97 -q --out OUT/near.parquet"),
    "command, pairs, bits": command("pairs bits.npy --measure hamming --distance 6 -q"),
    "command, pairs, saved plan": command(
        "pairs news.jsonl --threshold 0.4 --shingles words:2 --recall 0.8 --save-plan OUT/plan.toml -q",
        "pairs news.tsv --plan OUT/plan.toml --seed 1 -q",
    ),
    "command, pairs, resumed": command(
        "pairs news.jsonl --threshold 0.5 --work OUT/work --keep-work -q --out OUT/first.parquet",
        "pairs news.jsonl --threshold 0.5 --work OUT/work --resume -q --out OUT/again.parquet",
    ),
    "command, pairs, report": command(
        "pairs news.jsonl --id id --threshold 0.5 --report OUT/report.html --audit --forecast --out OUT/pairs.parquet"
    ),
    "command, clusters": command("clusters news.jsonl --id id --threshold 0.5 -q --out OUT/clusters.parquet"),
    "command, clusters, star": command(
        "clusters news.parquet --id id --threshold 0.4 --linkage star --keep best:score -q --out OUT/clusters.csv"
    ),
    "command, clusters, standard output": command("clusters lines.txt --format lines --keep longest -q"),
}

DEDUPE: dict[str, Run] = {
    "command, dedupe, jsonl": command("dedupe news.jsonl --id id --threshold 0.5 -q --out OUT/kept.jsonl"),
    "command, dedupe, csv": command("dedupe news.csv --threshold 0.5 --keep best:score -q --out OUT/kept.csv"),
    "command, dedupe, tsv": command("dedupe news.tsv --id id --keep last -q --out OUT/kept.tsv --removed OUT/gone.csv"),
    "command, dedupe, parquet": command("dedupe news.parquet --id id --keep longest -q --out OUT/kept.parquet"),
    "command, dedupe, many files": command("dedupe 'parts/*.parquet' --threshold 0.5 -q --out OUT/kept/"),
    "command, dedupe, folder": command("dedupe folder --threshold 0.5 --linkage star -q --out OUT/kept"),
    "command, dedupe, standard output": command("dedupe news.jsonl --id id -q --out - --removed OUT/gone.jsonl"),
    "command, dedupe, against": command(
        "dedupe news.jsonl --against reference.jsonl --id id --threshold 0.5 -q --out OUT/kept.jsonl"
    ),
    "command, dedupe, against, star": command(
        "dedupe news.jsonl --against reference.jsonl --against broken.jsonl --on-error skip --threshold 0.5"
        " --linkage star -q --out OUT/kept.jsonl"
    ),
    "command, dedupe, baskets": command("dedupe baskets.dat --format baskets --threshold 0.6 -q --out OUT/kept.dat"),
    "command, dedupe, resumed": command(
        "dedupe news.csv --threshold 0.5 --work OUT/work --keep-work -q --out OUT/kept.csv",
        "dedupe news.csv --threshold 0.5 --work OUT/work --resume -q --out OUT/kept.csv --force",
    ),
    "command, dedupe, report": command(
        "dedupe news.jsonl --id id --threshold 0.6 --audit --forecast --report OUT/report.html --out OUT/kept.jsonl"
    ),
}

TRUST: dict[str, Run] = {
    "command, audit": command(
        "pairs news.jsonl --id id --threshold 0.4 --recall 0.3 --method lsh -q --out OUT/pairs.parquet",
        "audit OUT/pairs.parquet --sample 300 --seed 2 -q --out OUT/missed.csv",
    ),
    "command, audit of dedupe": command(
        "dedupe news.jsonl --threshold 0.4 --recall 0.3 --method lsh -q --out OUT/kept.jsonl",
        "audit OUT/kept.jsonl.removed.parquet news.jsonl -q --out OUT/missed.jsonl",
    ),
    "command, contamination": command(
        "contamination news.jsonl --test later.jsonl --test-column body --test-id key --id id --shingles words:4"
        " --threshold 0.5 --top 2 -q --out OUT/leaked.parquet"
    ),
    "command, contamination, standard output": command(
        "contamination parts --test reference.jsonl --case keep --report OUT/report.html -q"
    ),
}

SETS: dict[str, Run] = {
    "command, join": command("join news.csv --id id --threshold 0.5 -q --out OUT/joined.parquet"),
    "command, join, two": command(
        "join news.csv later.jsonl --id id --right-id key --right-column body --measure containment --threshold 0.6 -q"
    ),
    "command, join, shared, top": command("join items.jsonl --column items --measure shared --threshold 4 --top 2 -q"),
    "command, join, strings": command(
        "join people.csv shop.csv --column surname --measure levenshtein --distance 1 -q --out OUT/joined.csv"
    ),
    "command, nearest": command("nearest vectors.npy queries.npy --top 3 -q --out OUT/near.parquet"),
    "command, nearest, ids": command(
        "nearest vectors.parquet --id name --column vector --measure euclidean --top 2 --recall 1 -q"
    ),
    "command, frequent": command("frequent baskets.dat --support 12 -q --out OUT/frequent.csv"),
    "command, frequent, standard output": command(
        "frequent purchases.csv --basket customer --column product --support 0.05 --method multihash -q"
    ),
}

APPLICATIONS: dict[str, Run] = {
    "command, resolve": command(
        "resolve people.csv -q --out OUT/people.csv --matches OUT/matches.parquet", exact=False
    ),
    "command, resolve, settings": command(
        "resolve people.csv --ignore street -q --out OUT/one.parquet --save-settings OUT/settings.toml",
        "resolve shop.csv --settings OUT/settings.toml -q --out OUT/two.parquet",
    ),
    "command, link": command("link shop.csv supplier.csv --id number -q --out OUT/linked.parquet", exact=False),
    "command, link, many to many": command(
        "link shop.csv supplier.csv --id number --many-to-many --threshold 0.2 -q", exact=False
    ),
    "command, stories": command(
        "stories pages.jsonl --id url --url url --date date -q --out OUT/pages.parquet --stories OUT/stories.csv"
        " --boilerplate OUT/furniture.jsonl --mirrors OUT/mirrors.csv"
    ),
    "command, stories, standard output": command("stories pages.jsonl --language en --method length -q"),
    "command, plagiarism": command(
        "plagiarism essays --sources library -q --out OUT/pairs.parquet --passages OUT/passages.jsonl"
    ),
    "command, plagiarism, programs": command("plagiarism programs --code auto --names fold --k 4 --passage 12 -q"),
    "command, fingerprints": command("fingerprints prints.csv --margin 0.2 --threshold 0.4 -q --out OUT/matches.csv"),
    "command, fingerprints, gallery": command("fingerprints prints.csv --gallery gallery.csv --count 512 -q"),
}

EXPLAINED: dict[str, Run] = {
    "command, compare": command("compare folder/0/0.txt folder/2/2.txt --shingles words:1 --json", only=COMPARED),
    "command, compare, essays": command("compare essays/00.txt essays/03.txt --json", only=COMPARED),
    "command, explain": command("explain --threshold 0.7 --recall 0.95 --hashes 200 --json", only=PLANNED),
    "command, explain, data": command("explain news.jsonl --threshold 0.6 --json -q", only=PLANNED),
    "command, explain, exact": command("explain items.jsonl --column items --recall 1 --json -q", only=PLANNED),
    "command, audit, numbers": command(
        "pairs news.jsonl --threshold 0.4 --recall 0.3 --method lsh -q --out OUT/pairs.parquet",
        "audit OUT/pairs.parquet --json -q",
        only=AUDITED,
        exact=False,
    ),
}

RUNS: dict[str, Run] = DOCUMENTS | DEDUPE | TRUST | SETS | APPLICATIONS | EXPLAINED
