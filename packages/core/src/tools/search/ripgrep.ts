import type { ContentQuery, EngineContext, Hit } from './engine.ts'
import { SearchError } from './engine.ts'
import { outputLines } from './output-lines.ts'
import { skippedFolders } from './walk.ts'

/** The same folders as without it are passed over, and what a repository ignores. */
const scope = [
  '--no-config',
  '--no-messages',
  '--color=never',
  '--hidden',
  '--sort=path',
  '-g',
  '!.*/',
  ...skippedFolders.flatMap((name) => ['-g', `!${name}/`]),
]

/** Searches with ripgrep. */
export async function* searchWithRipgrep(
  query: ContentQuery,
  { path, signal }: EngineContext,
): AsyncGenerator<Hit, void> {
  const { root, file, pattern, fileGlob, mode } = query
  const globs = fileGlob === undefined || file !== undefined ? [] : ['-g', fileGlob]
  const where = file === undefined ? './' : `./${file}`
  const args = [...globs, ...scope, '--with-filename', '--no-heading', ...modeFlags(query), '-e', pattern, '--', where]
  const lines = outputLines({ command: 'rg', args, cwd: root, path, signal })
  for (;;) {
    const next = await lines.next()
    if (!next.done) {
      const hit = hitOf(next.value, mode)
      if (hit) yield hit
      continue
    }
    const { exitCode, errors } = next.value
    if (exitCode === 2 && /regex parse error|error parsing|invalid/i.test(errors)) {
      throw new SearchError(`"${pattern}" is not a valid regular expression: ${errors}`)
    }
    return
  }
}

/** The files below a folder that ripgrep would search, relative to it. */
export async function* listWithRipgrep(root: string, { path, signal }: EngineContext): AsyncGenerator<string> {
  const args = [...scope, '--files', './']
  for await (const line of outputLines({ command: 'rg', args, cwd: root, path, signal }))
    yield line.replace(/^\.\//, '')
}

function modeFlags({ mode, context, maxPerFile }: ContentQuery): string[] {
  if (mode === 'files_only') return ['--files-with-matches']
  if (mode === 'count') return ['--null', '--count']
  return [
    '--null',
    '--line-number',
    '--max-count',
    String(maxPerFile),
    ...(context > 0 ? ['--context', String(context)] : []),
  ]
}

function hitOf(line: string, mode: ContentQuery['mode']): Hit | undefined {
  if (mode === 'files_only') return { type: 'file', file: line.replace(/^\.\//, '') }
  const end = line.indexOf('\0')
  if (end === -1) return undefined
  const file = line.slice(0, end).replace(/^\.\//, '')
  const rest = line.slice(end + 1)
  if (mode === 'count') return { type: 'count', file, count: Number(rest) }
  const [head, number, mark] = /^(\d+)([:-])/.exec(rest) ?? []
  if (head === undefined) return undefined
  return { type: 'line', file, line: Number(number), text: rest.slice(head.length), isMatch: mark === ':' }
}
