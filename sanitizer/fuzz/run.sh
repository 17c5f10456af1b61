#!/bin/sh
# Runs a fuzz target on the project's own toolchain, without cargo-fuzz and nightly Rust:
# `sanitizer/fuzz/run.sh TARGET [OPTIONS OF LIBFUZZER]`, by default for twenty minutes. The targets
# are the files of fuzz_targets. `sanitizer/fuzz/run.sh TARGET minimise` keeps in `corpus` the inputs
# that a run has found and that reach something new.
set -eu
cd "$(dirname "$0")"
[ -f "fuzz_targets/${1:-}.rs" ] || {
  echo "usage: $0 TARGET [minimise | OPTIONS OF LIBFUZZER]; targets:" fuzz_targets/*.rs >&2
  exit 2
}
name=$1
shift
target=$(rustc -vV | sed -n 's/^host: //p')
# What cargo-fuzz asks of the compiler, but for the address sanitizer: the crate has no unsafe code.
# `--target` keeps the flags from build scripts.
RUSTFLAGS="--cfg fuzzing -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks \
  -Cpasses=sancov-module \
  -Cllvm-args=-sanitizer-coverage-level=4 \
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
  -Cllvm-args=-sanitizer-coverage-pc-table \
  -Cllvm-args=-sanitizer-coverage-trace-compares" \
  cargo build --release --target "$target" --bin "$name"
out=${CARGO_TARGET_DIR:-target}
found=$out/fuzz-corpus/$name
mkdir -p "$found" "corpus/$name"
run="$out/$target/release/$name -max_len=700 -timeout=20"
if [ "${1:-}" = minimise ]; then
  rm -rf "$out/fuzz-corpus/$name.least"
  mkdir "$out/fuzz-corpus/$name.least"
  $run -set_cover_merge=1 "$out/fuzz-corpus/$name.least" "corpus/$name" "$found"
  # The smallest that together reach most: a repository needs no more.
  rm -f "corpus/$name"/[0-9a-f]*
  ls -S -r "$out/fuzz-corpus/$name.least" | head -n 40 | while read -r input; do
    cp "$out/fuzz-corpus/$name.least/$input" "corpus/$name/"
  done
  exit
fi
exec $run -print_final_stats=1 -max_total_time=1200 "$found" "corpus/$name" "$@"
