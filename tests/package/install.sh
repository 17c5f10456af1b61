#!/bin/sh
# Installs RecallKit: downloads the archive for this platform, compares its SHA-256 with SHA256SUMS, and installs the
# two programs with their manual pages and completions. Nothing is unpacked before it is checked.
#
#   install.sh [--prefix DIR] [--version VERSION] [--from URL-OR-DIR]
set -eu

releases=https://github.com/recall-kit/recall-kit/releases

usage() {
    cat <<'END'
Usage: install.sh [OPTIONS]

Installs recall-kit-client and recall-kit-server.

Options:
  --prefix DIR       install into DIR/bin and DIR/share [default: $PREFIX, else ~/.local]
  --version VERSION  install this version [default: the latest]
  --from URL-OR-DIR  take the archive and SHA256SUMS from there, not from the project's releases
  --help             print this text
END
}

fail() {
    printf 'error: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
    exit 1
}

need() {
    command -v "$1" >/dev/null 2>&1 || fail "$1 is missing" "install it and try again"
}

# Prints the compiler's name of this platform.
platform() {
    system=$(uname -s)
    processor=$(uname -m)
    case $processor in
        x86_64 | amd64) processor=x86_64 ;;
        aarch64 | arm64) processor=aarch64 ;;
    esac
    case $system in
        Linux)
            libc=gnu
            # The interpreter of programs for musl; ldd does not exist everywhere.
            for interpreter in /lib/ld-musl-*; do
                [ ! -e "$interpreter" ] || [ -e /lib64/ld-linux-x86-64.so.2 ] ||
                    [ -e /lib/ld-linux-aarch64.so.1 ] || libc=musl
            done
            printf '%s\n' "$processor-unknown-linux-$libc"
            ;;
        Darwin) printf '%s\n' "$processor-apple-darwin" ;;
        *) printf '%s\n' "$processor-$system" ;;
    esac
}

# Copies or downloads a file of the release: fetch NAME TO
fetch() {
    case $from in
        http://* | https://*)
            # No redirection leads from HTTPS to plain HTTP.
            if command -v curl >/dev/null 2>&1; then
                curl --proto-redir =https --fail --silent --show-error --location --output "$2" "$from/$1" ||
                    fail "cannot download $from/$1"
            elif command -v wget >/dev/null 2>&1; then
                wget -q -O "$2" "$from/$1" || fail "cannot download $from/$1"
            else
                fail "neither curl nor wget is installed" "install one of them and try again"
            fi
            ;;
        *) cp "${from#file://}/$1" "$2" || fail "cannot read ${from#file://}/$1" ;;
    esac
}

sha256() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum <"$1" | cut -d ' ' -f 1
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 <"$1" | cut -d ' ' -f 1
    elif command -v openssl >/dev/null 2>&1; then
        openssl dgst -sha256 -r <"$1" | cut -d ' ' -f 1
    else
        fail "there is no program that computes SHA-256" "install sha256sum, shasum or openssl"
    fi
}

# Makes a folder and checks that files can be written there.
make_folder() {
    if ! mkdir -p "$1" 2>/dev/null || ! : 2>/dev/null >"$1/.recall-kit-install"; then
        fail "cannot write to $1" "choose another place with --prefix DIR"
    fi
    rm -f "$1/.recall-kit-install"
}

# Puts a file in its place in one step, also if the old one is running: place MODE FILE TO
place() {
    if ! { cp "$2" "$3.new" && chmod "$1" "$3.new" && mv -f "$3.new" "$3"; }; then
        rm -f "$3.new"
        fail "cannot write $3"
    fi
}

# Installs manual pages and completions from the unpacked folder.
install_documents() {
    make_folder "$prefix/share/man/man1"
    for page in "$1"/man/*.1; do
        place 644 "$page" "$prefix/share/man/man1/${page##*/}"
    done
    make_folder "$prefix/share/bash-completion/completions"
    make_folder "$prefix/share/fish/vendor_completions.d"
    make_folder "$prefix/share/zsh/site-functions"
    for program in recall-kit-client recall-kit-server; do
        place 644 "$1/completions/$program.bash" "$prefix/share/bash-completion/completions/$program"
        place 644 "$1/completions/$program.fish" "$prefix/share/fish/vendor_completions.d/$program.fish"
        place 644 "$1/completions/_$program" "$prefix/share/zsh/site-functions/_$program"
    done
}

main() {
    prefix=${PREFIX-}
    version=
    from=
    while [ $# -gt 0 ]; do
        case $1 in
            --help | -h)
                usage
                exit 0
                ;;
            --prefix=* | --version=* | --from=*)
                option=${1%%=*}
                value=${1#*=}
                shift
                set -- "$option" "$value" "$@"
                continue
                ;;
            --prefix | --version | --from)
                [ -n "${2-}" ] || fail "$1 needs a value" "see install.sh --help"
                case $1 in
                    --prefix) prefix=$2 ;;
                    --version) version=${2#v} ;;
                    --from) from=${2%/} ;;
                esac
                shift 2
                ;;
            *) fail "unknown option $1" "see install.sh --help" ;;
        esac
    done
    if [ -z "$prefix" ]; then
        [ -n "${HOME-}" ] || fail "HOME is not set" "say where to install with --prefix DIR"
        prefix=$HOME/.local
    fi
    if [ -z "$from" ]; then
        from=$releases/latest/download
        [ -z "$version" ] || from=$releases/download/v$version
    fi
    need tar
    need uname
    need mktemp

    target=$(platform)
    work=$(mktemp -d) || fail "cannot make a temporary folder" "set TMPDIR to a folder that can be written to"
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM

    fetch SHA256SUMS "$work/SHA256SUMS"
    # A line is the checksum, two spaces and the name. A name with a slash would leave the folder.
    wanted="recall-kit-${version:-[0-9][^/ ]*}-$target\\.tar\\.gz"
    line=$(grep "  $wanted\$" "$work/SHA256SUMS" | head -n 1) || true
    if [ -z "$line" ]; then
        known=$(sed -n 's/.*  recall-kit-[^-]*-\(.*\)\.tar\.gz$/\1/p' "$work/SHA256SUMS" | tr '\n' ' ')
        fail "there is no archive for $target${version:+ of version $version}" \
            "there are archives for: ${known:-no platform}; on others, build from the source"
    fi
    expected=${line%% *}
    archive=${line##* }
    make_folder "$prefix/bin"
    fetch "$archive" "$work/$archive"
    found=$(sha256 "$work/$archive")
    if [ "$found" != "$expected" ]; then
        fail "$archive is not the file that SHA256SUMS names: it has the SHA-256 $found, not $expected" \
            "nothing was installed; download it again, and report it if this goes on"
    fi

    tar -xzf "$work/$archive" -C "$work" || fail "cannot unpack $archive"
    unpacked=$work/${archive%.tar.gz}
    told=$("$unpacked/recall-kit-client" --version 2>&1) ||
        fail "the program does not run on this system: $told" "build it from the source"
    for program in recall-kit-client recall-kit-server; do
        place 755 "$unpacked/$program" "$prefix/bin/$program"
    done
    install_documents "$unpacked"
    printf 'installed %s into %s\n' "$told" "$prefix/bin"
    case :${PATH-}: in
        *":$prefix/bin:"*) ;;
        *) printf "add it to your PATH: export PATH=\"%s:\$PATH\"\n" "$prefix/bin" ;;
    esac
    printf 'next: recall-kit-client demo\n'
}

# Read to its end before anything is done: a download that breaks off does nothing.
main "$@"
