#!/usr/bin/env bash
# Makes a Python environment with Synapse, a Matrix server, for the tests that want one:
#   scripts/test-synapse.sh FOLDER && HERMES_TEST_SYNAPSE=FOLDER/bin/python npm test
# It is some 240 MB, of ready-made packages only: nothing is compiled.
set -euo pipefail
folder="$1"
version=1.163.2

if [ "$("$folder/bin/python" -c 'import synapse; print(synapse.__version__)' 2>/dev/null || true)" = "$version" ]; then
  exit 0
fi
# Half of an environment is none.
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
python3 -m venv "$folder"
"$folder/bin/python" -m pip install -q --only-binary :all: --retries=1 --timeout=30 "matrix-synapse==$version"
