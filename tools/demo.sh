#!/usr/bin/env bash
# tools/demo.sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The main job, from a fresh clone to a running kernel: installs what is missing,
# builds the compiler, compiles the softmax row program for several row lengths,
# shows each plan and its PTX, checks the PTX with ptxas where there is one, and
# runs it on real input, on the GPU or, where there is none, in the simulator. Files are left in build/demo.
#
#   tools/demo.sh              N = 256 1024 8192 32000 131072 262144
#   tools/demo.sh N [N ...]    other row lengths
#
# QUACK_DEMO_ROWS is the number of rows that run on the GPU, 4096 if not set.

set -Eeuo pipefail
trap 'echo "demo.sh: stopped: line $LINENO failed" >&2' ERR
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly kernel=lib/Kernels/softmax.mlir
readonly out=build/demo
readonly storage=bf16
readonly rows=${QUACK_DEMO_ROWS:-4096}
readonly simulated_rows=8
columns=(256 1024 8192 32000 131072 262144)
[[ $# -eq 0 ]] || columns=("$@")
for n in "${columns[@]}" "$rows"; do
  if [[ ! $n =~ ^[1-9][0-9]*$ ]]; then
    echo "demo.sh: expected a positive number, got '$n'" >&2
    echo "usage: tools/demo.sh [N ...]" >&2
    exit 2
  fi
done

step() { printf '\n== %s\n' "$*"; }
indent() { sed 's/^/   /'; }

# Prints the path of ptxas, or nothing.
find_ptxas() {
  local candidate
  for candidate in ptxas "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas" \
    /usr/local/cuda/bin/ptxas; do
    if command -v "$candidate"; then break; fi
  done
}

have_gpu() {
  if command -v nvidia-smi >/dev/null; then
    nvidia-smi -L 2>/dev/null | grep -q '^GPU ' && return
  fi
  [[ -e /dev/nvidia0 ]]
}

# Compiles for rows of $1 elements; shows the plan and the start of the PTX.
compile() {
  local n=$1 ptx=$out/softmax_$1.ptx
  build/bin/quack-opt "$kernel" --columns="$n" --storage="$storage" \
    --emit=plan -o "$out/softmax_$n.plan"
  build/bin/quack-opt "$kernel" --columns="$n" --storage="$storage" \
    --emit=ptx -o "$ptx"
  indent <"$out/softmax_$n.plan"
  echo "   $ptx, $(wc -l <"$ptx") lines, the entry:"
  grep -n -m 1 -A 7 '\.entry' "$ptx" | sed 's/^/     /'
}

# Assembles the PTX for rows of $1 elements; shows registers and spills.
assemble() {
  local n=$1 log=$out/softmax_$1.ptxas.txt
  if ! "$ptxas" -arch=sm_90 -v -o "$out/softmax_$n.cubin" \
    "$out/softmax_$n.ptx" >"$log" 2>&1; then
    indent <"$log" >&2
    echo "demo.sh: ptxas refused $out/softmax_$n.ptx" >&2
    return 1
  fi
  grep -oE 'Used [0-9]+ registers' "$log" | sed 's/^/   ptxas: /'
  if grep -qE '[1-9][0-9]* bytes (stack frame|spill)' "$log"; then
    grep -E 'bytes (stack frame|spill)' "$log" | indent
    spilled+=("$n")
  fi
}

# Runs the kernel on rows of $1 elements and checks the result twice: by
# quack-run's evaluator, and by a softmax that shares no code with this project.
# Without a GPU the PTX runs in the simulator, on fewer rows.
run() {
  local n=$1 x=$out/x.npy y=$out/y.npy count=$rows
  local how=(--bench)
  if [[ $gpu == no ]]; then count=$simulated_rows how=(--device=sim); fi
  python3 tools/dev/demo-data.py make "$count" "$n" "$x"
  build/bin/quack-run "$kernel" --columns="$n" --storage="$storage" \
    --in x="$x" --out y="$y" --verify "${how[@]}" | indent
  python3 tools/dev/demo-data.py check-softmax "$x" "$y" | indent
  rm -f "$x" "$y"
}

step 'What is needed'
tools/dev/install-deps.sh
ptxas=$(find_ptxas)
gpu=no
if have_gpu; then gpu=yes; fi
echo "ptxas: ${ptxas:-none, the PTX will not be assembled}"
echo "GPU: $gpu"

step 'Building quack-opt and quack-run'
mkdir -p build
if ! tools/dev/build.sh quack-opt quack-run >build/demo-build.log 2>&1; then
  tail -n 40 build/demo-build.log >&2
  echo "demo.sh: the build failed; all of it: build/demo-build.log" >&2
  exit 1
fi
ls build/bin/quack-opt build/bin/quack-run
mkdir -p "$out"

spilled=()
for n in "${columns[@]}"; do
  step "softmax of rows of $n $storage"
  compile "$n"
  if [[ -n $ptxas ]]; then assemble "$n"; fi
  run "$n"
done

step 'Summary'
summary="compiled $kernel for ${#columns[@]} row lengths into $out"
if [[ -z $ptxas ]]; then
  summary+=', not assembled (no ptxas)'
elif [[ ${#spilled[@]} -eq 0 ]]; then
  summary+=', ptxas accepts all, none spills'
else
  summary+=", ptxas accepts all, spills at N = ${spilled[*]}"
fi
if [[ $gpu == yes ]]; then
  summary+=", ran on the GPU and verified on $rows rows each"
else
  summary+=", ran in the simulator and verified on $simulated_rows rows each (no GPU here)"
fi
echo "demo: $summary"
