#!/usr/bin/env bash
# Removes near-duplicates from tonight's documents: copies of each other, and copies
# of documents from earlier nights.
#
#     nightly.sh FOLDER [DATE]
#
#     FOLDER/incoming/DATE.jsonl    the documents of a night, with columns id and text
#     FOLDER/clean/DATE.jsonl       the documents that are kept
#     FOLDER/removed/DATE.parquet   the others, each with the id that was kept instead
#     FOLDER/log/DATE.json          the summary as JSON
#     FOLDER/log/DATE.txt           warnings and errors
#
# It can be started any number of times: a finished night is skipped, and an
# interrupted one is continued. It ends with the exit code of lookalike: 0 is success,
# 3 an input that cannot be read, 4 an output that cannot be written, and so on.
# 75 means that another copy is still running: try again later.
set -u

folder=${1:?usage: nightly.sh FOLDER [DATE]}
night=${2:-$(date +%F)}

cd "$folder" || exit 3
mkdir -p clean removed log
exec 9> log/lock
flock --nonblock 9 || { echo "nightly: another run has the lock" >&2; exit 75; }

if [ -e "clean/$night.jsonl" ]; then
    echo "nightly: $night is done"
    exit 0
fi

# The first night has nothing to compare with.
against=()
compgen -G 'clean/*.jsonl' > /dev/null && against=(--against 'clean/*.jsonl')

lookalike dedupe "incoming/$night.jsonl" "${against[@]}" --id id --threshold 0.8 \
    --out "clean/$night.jsonl" --removed "removed/$night.parquet" \
    --memory 2GiB --work "work-$night" --resume \
    --json > "log/$night.json" 2> "log/$night.txt"
code=$?

if [ "$code" -eq 0 ]; then
    kept=$(wc -l < "clean/$night.jsonl") all=$(wc -l < "incoming/$night.jsonl")
    echo "nightly: $night: kept $kept of $all documents"
else
    echo "nightly: $night failed with exit code $code:" >&2
    tail -n 3 "log/$night.txt" >&2
fi
exit "$code"
