// ByteRover's program `brv`: https://docs.byterover.dev/reference/cli-reference. Its tree is Markdown under
// `.brv/context-tree` of the folder that it is called in. The real one answers by a model; here a file answers that has
// one of the question's words.
import { writeFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceFault } from '@hermes/core/memory/memory-provider.contract.ts'

/** A `brv` that is not the real one. */
export interface StandInBrv extends AsyncDisposable {
  /** The folder that it is in, to be put on the PATH. */
  readonly folder: string
  /** What it was called with so far, each call's arguments on a line. */
  calls(): Promise<readonly string[]>
  /** Names of the variables that its last call got. */
  variables(): Promise<readonly string[]>
  /** Every call meets this from now on; undefined: all is well again. */
  readonly misbehave: (fault: ServiceFault | undefined) => void
  /** What is in the tree that was made in a folder. */
  tree(cwd: string): Promise<readonly string[]>
}

const script = `#!/bin/sh
here=$(dirname "$0")
printf '%s\\n' "$(printf '%s|' "$@" | tr '\\n' ' ')" >> "$here/calls"
env | cut -d= -f1 > "$here/variables"
fault=$(cat "$here/fault" 2>/dev/null)
case "$fault" in
  '') ;;
  hang) exec sleep 600 ;;
  drop) kill -KILL $$ ;;
  garbage) printf '{"half'; echo 'TypeError: undefined is not a function' >&2; exit 70 ;;
  *) echo " ›   Error: $fault (key $BRV_API_KEY)" >&2; exit 2 ;;
esac
command=$1
[ $# -gt 0 ] && shift
while :; do
  case "$1" in
    --) shift; break ;;
    --detach) [ "$command" = curate ] || { echo " ›   Error: Nonexistent flag: $1" >&2; exit 2; }; shift ;;
    -*) echo " ›   Error: Nonexistent flag: $1" >&2; exit 2 ;;
    *) break ;;
  esac
done
tree=.brv/context-tree
case "$command" in
  curate)
    [ -n "$1" ] || { echo ' ›   Error: Missing required arg: context' >&2; exit 2; }
    mkdir -p "$tree"
    printf '%s\\n' "$1" > "$tree/$(printf '%08d' $(($(ls "$tree" | wc -l) + 1))).md"
    echo 'Context curated successfully.'
    ;;
  query)
    [ -n "$1" ] || { echo ' ›   Error: Missing required arg: query' >&2; exit 2; }
    words=$(printf '%s' "$1" | tr -cs '[:alnum:]' '\\n' | awk 'length > 3' | paste -sd'|' -)
    found=$(grep -Eihs "$words" "$tree"/*.md)
    if [ -n "$words" ] && [ -n "$found" ]; then printf '%s\\n' "$found"; else echo 'Nothing known.'; fi
    ;;
  status) echo "CLI Version: 3.0.0"; echo "Context Tree: $(ls "$tree" 2>/dev/null | wc -l) files" ;;
  *) echo " ›   Error: command $command not found" >&2; exit 127 ;;
esac
`

const faults = { 401: 'Authentication failed', 429: 'Rate limit exceeded', 500: 'Internal error' } as const

/** Makes one, in a folder of its own. */
export async function makeBrv(): Promise<StandInBrv> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-brv-'))
  const path = join(folder, 'brv')
  await writeFile(path, script)
  await chmod(path, 0o755)
  const linesOf = async (name: string) =>
    (await readFile(join(folder, name), 'utf8').catch(() => '')).split('\n').filter(Boolean)
  return {
    folder,
    calls: () => linesOf('calls'),
    variables: () => linesOf('variables'),
    misbehave(fault) {
      const word = fault === undefined ? '' : fault.type === 'status' ? faults[fault.status] : fault.type
      writeFileSync(join(folder, 'fault'), word)
    },
    async tree(cwd) {
      const tree = join(cwd, '.brv', 'context-tree')
      const names = await readdir(tree).catch((): string[] => [])
      return Promise.all(names.sort().map(async (name) => (await readFile(join(tree, name), 'utf8')).trim()))
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
