#!/bin/sh
# Fuzzes the promises on the project's own toolchain, without cargo-fuzz and nightly Rust:
# `sanitizer/fuzz/run.sh [OPTIONS OF LIBFUZZER]`, by default for five minutes.
set -eu
cd "$(dirname "$0")"
target=$(rustc -vV | sed -n 's/^host: //p')
# What cargo-fuzz asks of the compiler, but for the address sanitizer: the crate has no unsafe code.
# `--target` keeps the flags from build scripts.
RUSTFLAGS="--cfg fuzzing -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks \
  -Cpasses=sancov-module \
  -Cllvm-args=-sanitizer-coverage-level=4 \
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
  -Cllvm-args=-sanitizer-coverage-pc-table \
  -Cllvm-args=-sanitizer-coverage-trace-compares" \
  cargo build --release --target "$target"
found=${CARGO_TARGET_DIR:-target}/fuzz-corpus
mkdir -p "$found"
exec "${CARGO_TARGET_DIR:-target}/$target/release/promises" "$found" corpus/promises \
  -max_len=700 -timeout=20 -max_total_time=300 "$@"
