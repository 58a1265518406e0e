import type { ContentQuery, EngineContext, Hit } from './engine.ts'
import { SearchError } from './engine.ts'
import { compileGlob } from './glob.ts'
import { outputLines } from './output-lines.ts'
import type { CommandEnd } from './output-lines.ts'
import { walk } from './walk.ts'

/** Files given to one run of grep, and the length of their names together: systems limit the latter. */
const maxBatchFiles = 500
const maxBatchChars = 60_000

/**
 * Searches with grep: Perl's expressions where it knows them (GNU), else extended ones. We choose the files ourselves,
 * so that every kind of grep looks through the same ones in the same order.
 */
export async function* searchWithGrep(query: ContentQuery, context: EngineContext): AsyncGenerator<Hit, void> {
  const flags = [...(await dialect(query, context)), ...modeFlags(query)]
  for await (const files of batches(chosenFiles(query, context))) {
    const names = files.map((file) => `./${file}`)
    const args = [...flags, '-e', query.pattern, '--', ...names]
    yield* hitsOf(outputLines({ command: 'grep', args, cwd: query.root, ...context }), files, query)
  }
}

/** The flags by which this grep understands the pattern; tried on nothing, which also tells a bad pattern. */
async function dialect({ pattern, root }: ContentQuery, context: EngineContext): Promise<string[]> {
  const isPlain = !/[\\^$.|?*+()[\]{}\n]/.test(pattern)
  const kinds = isPlain ? [['-I', '-F'], ['-F']] : [['-I', '-P'], ['-I', '-E'], ['-E']]
  for (const flags of kinds) {
    const args = [...flags, '-e', pattern, '--', '/dev/null']
    const { exitCode, errors } = await endOf(outputLines({ command: 'grep', args, cwd: root, ...context }))
    if (exitCode === 0 || exitCode === 1) return flags
    const isUnknownFlag = /invalid option|unrecognized option|not supported|support for the -P|usage:/i.test(errors)
    if (!isUnknownFlag)
      throw new SearchError(`"${pattern}" is not a valid regular expression: ${errors.replace(/^grep: /, '')}`)
  }
  throw new SearchError('The grep of this machine cannot search; install ripgrep (rg).')
}

async function endOf(lines: AsyncGenerator<string, CommandEnd>): Promise<CommandEnd> {
  for (;;) {
    const next = await lines.next()
    if (next.done) return next.value
  }
}

function modeFlags({ mode, context, maxPerFile }: ContentQuery): string[] {
  if (mode === 'files_only') return ['-s', '-l']
  if (mode === 'count') return ['-s', '-H', '-c']
  return [
    '-s',
    '-H',
    '-n',
    '-m',
    String(maxPerFile),
    ...(context > 0 ? ['-A', String(context), '-B', String(context)] : []),
  ]
}

async function* chosenFiles({ root, file, fileGlob }: ContentQuery, context: EngineContext): AsyncGenerator<string> {
  if (file !== undefined) {
    yield file
    return
  }
  const isWanted = fileGlob === undefined ? () => true : compileGlob(fileGlob)
  for await (const path of walk({ root, ...context })) {
    // A name with a line end could not be told from output.
    if (isWanted(path) && !/[\r\n]/.test(path)) yield path
  }
}

async function* batches(files: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  let chars = 0
  for await (const file of files) {
    batch.push(file)
    chars += file.length + 3
    if (batch.length >= maxBatchFiles || chars >= maxBatchChars) {
      yield batch
      batch = []
      chars = 0
    }
  }
  if (batch.length > 0) yield batch
}

/** Reads grep's lines. It names files in the order they were given, so a name is never looked for behind another one. */
async function* hitsOf(
  lines: AsyncIterable<string>,
  files: readonly string[],
  { mode }: ContentQuery,
): AsyncGenerator<Hit, void> {
  let at = 0
  for await (const line of lines) {
    if (line === '--') continue
    for (let next = at; next < files.length; next++) {
      const hit = hitOf(line, files[next] ?? '', mode)
      if (!hit) continue
      at = next
      if (hit.type !== 'count' || hit.count > 0) yield hit
      break
    }
  }
}

function hitOf(line: string, file: string, mode: ContentQuery['mode']): Hit | undefined {
  if (!line.startsWith(`./${file}`)) return undefined
  const rest = line.slice(file.length + 2)
  if (mode === 'files_only') return rest === '' ? { type: 'file', file } : undefined
  if (mode === 'count') return /^:\d+$/.test(rest) ? { type: 'count', file, count: Number(rest.slice(1)) } : undefined
  const [head, mark, number] = /^([:-])(\d+)\1/.exec(rest) ?? []
  if (head === undefined) return undefined
  return { type: 'line', file, line: Number(number), text: rest.slice(head.length), isMatch: mark === ':' }
}
