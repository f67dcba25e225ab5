#!/bin/sh
# What tests need and pip does not bring, a line each at the end. Where this may install it (root,
# apt), it does; elsewhere it says what is missing, and tests skip what needs it. CI skips nothing.
set -u

need() { # who needs it, its command, where it is otherwise, Debian's packages: the first there is
    who=$1 command=$2 otherwise=$3
    shift 3
    command -v "$command" >/dev/null || [ -x "$otherwise" ] && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "tests: installing $command for $who"
        for package in "$@"; do
            install "$package" && return
        done
        apt-get update -qq >/dev/null
        for package in "$@"; do
            install "$package" && return
        done
    fi
    echo "tests: there is no $command, and the tests of $who are skipped; on Debian: apt install $1"
    [ "${CI:-}" != true ] || exit 1
}

install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null 2>&1
}

need Spark java "${JAVA_HOME:-/nowhere}/bin/java" openjdk-17-jre-headless default-jre-headless
# Debian's servers are not on the path: /usr/lib/postgresql/15/bin/postgres, say.
for server in "${POSTGRES:-/usr/lib/postgresql}"/*/bin/postgres; do :; done
need "the store" postgres "$server" postgresql
need deployment systemd-analyze /nowhere systemd
need "the browser's client" node /nowhere nodejs
need "the client's types" tsc /nowhere node-typescript
need "the client's pages" chromium /nowhere chromium
