#!/usr/bin/env bash
# Installs the Debian packages that some tests need: Java for Spark, Chromium to open the report, and PostgreSQL for
# indexes. With the argument `all`, also a compiler for arm64 and an emulator of other processors.
#
# CI=true installs without asking. In a terminal the script asks first. Otherwise, or if the answer is no, or where it
# cannot install (not root, not Debian), it names the missing packages and the tests that need them are skipped.
set -u

missing=()
command -v java >/dev/null || missing+=(default-jre-headless)
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
    missing+=(chromium)
command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
if [ "${1:-}" = all ]; then
    command -v aarch64-linux-gnu-g++ >/dev/null || missing+=(g++-aarch64-linux-gnu)
    command -v qemu-aarch64 >/dev/null || missing+=(qemu-user)
fi
[ ${#missing[@]} -eq 0 ] && exit 0

can_install() {
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null
}

is_wanted() {
    [ "${CI:-}" = true ] && return 0
    [ -t 0 ] && [ -t 1 ] || return 1
    local answer
    read -r -p "Some tests need Debian packages that are missing: ${missing[*]}. Install them now? [y/N] " answer
    [[ "$answer" = [yY]* ]]
}

install_packages() {
    echo "Installing Debian packages: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

can_install && is_wanted && install_packages && exit 0
echo "Some tests will be skipped: they need Debian packages (apt-get install ${missing[*]})."
