#!/usr/bin/env bash
# Debian packages that some tests need: Java for Spark, Chromium for looking at the report; with the argument `all`
# also a compiler and an emulator for arm64.
# As root on Debian it installs what is missing; anywhere else it says what is missing, and the
# tests that need it are counted as skipped. With nothing missing it is done at once.
set -u

missing=()
command -v java >/dev/null || missing+=(default-jre-headless)
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
    missing+=(chromium)
if [ "${1:-}" = all ]; then
    command -v aarch64-linux-gnu-g++ >/dev/null || missing+=(g++-aarch64-linux-gnu)
    command -v qemu-aarch64 >/dev/null || missing+=(qemu-user)
fi
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Debian packages: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    if apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; then
        exit 0
    fi
fi
echo "Some tests will be skipped: they need the Debian packages ${missing[*]} (apt-get install ${missing[*]})."
