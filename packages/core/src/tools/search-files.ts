import { basename, dirname, join, relative, sep } from 'node:path'
import { lstat } from 'node:fs/promises'
import { z } from 'zod'
import { isCredentialFile } from '../security/credential-files.ts'
import { checkRead, fileRules, guardOf, openChecked } from '../security/file-safety.ts'
import type { CheckedPath } from '../security/file-safety.ts'
import type { FileGuard } from '../security/file-safety-guard.ts'
import { finishChanges } from './change-journal.ts'
import { refuseCredentials } from './credential-consent.ts'
import { answeringFileErrors } from './file-errors.ts'
import { circleLimit, circleWarning } from './look-circles.ts'
import { readLines } from './read-lines.ts'
import { SearchError } from './search/engine.ts'
import type { EngineContext, Hit, SearchEngine } from './search/engine.ts'
import { isProgramThere } from './search/find-program.ts'
import { compileGlob, hasWildcard } from './search/glob.ts'
import { searchWithGrep } from './search/grep.ts'
import { listWithRipgrep, searchWithRipgrep } from './search/ripgrep.ts'
import { pageOf } from './search/search-content.ts'
import type { FoundPage } from './search/search-content.ts'
import { newestFirst } from './search/search-names.ts'
import { walk } from './search/walk.ts'
import { similarIn } from './similar-names.ts'
import { defineTool, jsonResult } from './tool.ts'
import type { ToolContext, ToolResult } from './tool.ts'

const timeoutMs = 60_000
const maxLimit = 1_000
const maxContext = 20
const maxLineChars = 500

/** Text of all matches of a page, characters. */
const maxPageChars = 60_000

const input = z.object({
  pattern: z.string().describe('content: regular expression; files: glob such as *.py, or a part of the name'),
  target: z
    .preprocess(
      (value) => (value === 'grep' ? 'content' : value === 'find' ? 'files' : value),
      z.enum(['content', 'files']).default('content'),
    )
    .describe('Search in files, or for files by name'),
  path: z.string().default('.').describe('Folder or file'),
  file_glob: z.string().optional().describe('content: only files like this, e.g. *.ts'),
  limit: z.int().default(50),
  offset: z.int().default(0).describe('Results to skip'),
  output_mode: z
    .enum(['content', 'files_only', 'count'])
    .default('content')
    .describe('content: lines, file names, or matches per file'),
  context: z.int().default(0).describe('Lines around each match'),
})

type Input = z.infer<typeof input>

export const searchFiles = defineTool({
  name: 'search_files',
  toolset: 'file',
  description:
    'Search file contents, or find files by name (newest first), below a folder. Dot folders, node_modules and binary files are passed over. Use this instead of grep, find or ls.',
  input,
  concurrency: 'parallel',
  preview: ({ pattern, path }) => (path === '.' ? pattern : `${pattern} in ${path}`),
  run: answeringFileErrors(async (args, context) => {
    if (args.pattern === '') return failure('pattern is empty.')
    await finishChanges(context.agent.home)
    const checked = await checkRead(args.path, fileRules(context))
    if (!checked.stats) return missing(checked)
    const refused = args.target === 'content' ? await refuseCredentials(checked, context) : undefined
    if (refused) return refused
    const looks = context.session.fileReads.countLook(`search_files ${JSON.stringify({ ...args, path: checked.path })}`)
    if (looks >= circleLimit) {
      return failure(
        `BLOCKED: this search was made ${looks} times in a row. Use what it found, or search for something else.`,
      )
    }
    try {
      const found = await search(args, checked, context)
      return jsonResult({ ...found, ...withWarnings(found['_warning'], circleWarning(looks)._warning) })
    } catch (error) {
      if (error instanceof SearchError) return failure(context.agent.redactor.redact(error.message))
      throw error
    }
  }),
})

type Found = Readonly<Record<string, unknown>>

async function search(args: Input, checked: CheckedPath, context: ToolContext): Promise<Found> {
  const { agent, signal } = context
  const timeout = AbortSignal.timeout(timeoutMs)
  const guard = await guardOf(fileRules(context))
  const engine: EngineContext = {
    path: agent.environment['PATH'],
    isClosed: (path) => guard.protection(path) === 'all',
    signal: AbortSignal.any([signal, timeout]),
  }
  const isOver = () => timeout.aborted && !signal.aborted
  const place = placeOf(checked, context)
  const page = { offset: Math.max(0, args.offset), limit: Math.min(maxLimit, Math.max(1, args.limit)) }
  return args.target === 'files'
    ? await findFiles(args, { place, page, engine, guard, isOver })
    : await findContent(args, { place, page, engine, guard, isOver }, context)
}

/** Where is searched, and how files are named in results. */
interface Place {
  readonly root: string
  /** The one file searched, where it is no folder. */
  readonly file: string | undefined
  /** A file as the model is to name it: relative to its working directory when it is below that. */
  readonly shown: (file: string) => string
}

interface SearchSetting {
  readonly place: Place
  readonly page: { readonly offset: number; readonly limit: number }
  readonly engine: EngineContext
  readonly guard: FileGuard
  readonly isOver: () => boolean
}

function placeOf({ path, asked, stats }: CheckedPath, { session }: ToolContext): Place {
  const isFolder = stats?.isDirectory() ?? false
  const root = isFolder ? path : dirname(path)
  const askedRoot = isFolder ? asked : dirname(asked)
  const fromCwd = relative(session.cwd(), askedRoot)
  const isBelow = fromCwd !== '..' && !fromCwd.startsWith(`..${sep}`)
  return {
    root,
    file: isFolder ? undefined : basename(path),
    shown: (file) => join(isBelow ? fromCwd : askedRoot, file),
  }
}

async function findFiles({ pattern }: Input, { place, page, engine, guard, isOver }: SearchSetting): Promise<Found> {
  const { root, file, shown } = place
  const isWanted = compileGlob(
    hasWildcard(pattern) ? pattern : pattern.includes('/') ? `**/${pattern}*` : `*${pattern}*`,
  )
  const listed = file === undefined ? await listFiles(root, engine) : [file]
  const isOpen = (path: string) => isWanted(path) && guard.protection(join(root, path)) !== 'all'
  const { files, isUnfinished } = await newestFirst(root, only(listed), isOpen, isOver)
  const rest = files.slice(page.offset)
  const isTruncated = rest.length > page.limit || isUnfinished
  return {
    total_count: files.length,
    files: rest.slice(0, page.limit).map(shown),
    ...continuation(isTruncated, page.offset + Math.min(page.limit, rest.length)),
    ...(isUnfinished && { _warning: 'Not all files could be looked at; search in a smaller folder.' }),
  }
}

async function listFiles(root: string, engine: EngineContext): Promise<AsyncIterable<string>> {
  return (await isProgramThere('rg', engine.path)) ? listWithRipgrep(root, engine) : walk({ root, ...engine })
}

async function* only(listed: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  yield* listed
}

async function findContent(
  args: Input,
  { place, page, engine, guard, isOver }: SearchSetting,
  context: ToolContext,
): Promise<Found> {
  const { pattern, file_glob: fileGlob, output_mode: mode } = args
  const { root, file } = place
  const around = mode === 'content' ? Math.min(maxContext, Math.max(0, args.context)) : 0
  const maxPerFile = page.offset + page.limit + 1
  const run = await contentEngine(engine.path)
  const hits = run({ root, file, pattern, fileGlob, context: around, mode, maxPerFile }, engine)
  const found = await pageOf(
    hits,
    { ...page, context: around, maxChars: maxPageChars },
    shownFiles(place, guard),
    isOver,
  )
  return {
    ...(await contentResult(found, mode, place, context)),
    ...continuation(found.isTruncated, page.offset + found.shown),
    ...unfinished(found),
  }
}

async function contentEngine(path: string | undefined): Promise<SearchEngine> {
  if (await isProgramThere('rg', path)) return searchWithRipgrep
  if (await isProgramThere('grep', path)) return searchWithGrep
  throw new SearchError('Neither ripgrep (rg) nor grep is on this machine; install one, or read the files.')
}

/** Whether a file's matches may be shown; asked once a file. Those with credentials are when they are named themselves. */
function shownFiles({ root, file: named }: Place, guard: FileGuard): (file: string) => Promise<boolean> {
  let last: { file: string; isShown: boolean } | undefined
  return async (file) => {
    if (last?.file !== file) {
      const path = join(root, file)
      const isOpen = named !== undefined || !(await isCredentialFile(path))
      last = { file, isShown: isOpen && (await isReadable(path, guard)) }
    }
    return last.isShown
  }
}

async function isReadable(path: string, guard: FileGuard): Promise<boolean> {
  if (guard.protection(path) === 'all') return false
  try {
    const stats = await lstat(path, { bigint: true })
    return stats.isFile() && (stats.nlink < 2n || (await guard.protectionOfLinked(stats)) !== 'all')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

async function contentResult(
  { hits, seen }: FoundPage,
  mode: Input['output_mode'],
  place: Place,
  context: ToolContext,
): Promise<Found> {
  if (mode === 'files_only') return { total_count: seen, files: hits.map(({ file }) => place.shown(file)) }
  if (mode === 'count') {
    const counts = hits.flatMap((hit) => (hit.type === 'count' ? [[place.shown(hit.file), hit.count] as const] : []))
    return { total_count: counts.reduce((sum, [, count]) => sum + count, 0), counts: Object.fromEntries(counts) }
  }
  const lines = hits.filter((hit) => hit.type === 'line')
  const texts = await linesOf(lines, place, context)
  return { total_count: seen, matches: lines.flatMap((hit) => shownMatch(hit, texts, place, context)) }
}

type LineHit = Extract<Hit, { type: 'line' }>
/** Texts of lines, by file and number. */
type LineTexts = ReadonlyMap<string, ReadonlyMap<number, string>>

function shownMatch(hit: LineHit, texts: LineTexts, place: Place, context: ToolContext) {
  const text = texts.get(hit.file)?.get(hit.line)
  if (text === undefined) return []
  const content = context.agent.redactor.redact(text)
  return {
    path: place.shown(hit.file),
    line: hit.line,
    content: content.length > maxLineChars ? `${content.slice(0, maxLineChars).toWellFormed()}…` : content,
    ...(!hit.isMatch && { is_context: true }),
  }
}

/**
 * The lines of some hits as `read_file` would show them: the search programs cannot tell pieces of private keys, nor
 * whether a file was put in another's place while they looked. What was is left out.
 */
async function linesOf(hits: readonly LineHit[], { root, file }: Place, context: ToolContext): Promise<LineTexts> {
  const texts = new Map<string, ReadonlyMap<number, string>>()
  for (const [name, ofFile] of Map.groupBy(hits, (hit) => hit.file)) {
    const wanted = new Set(ofFile.map(({ line }) => line))
    texts.set(name, await linesAt(join(root, file ?? name), wanted, context))
  }
  return texts
}

async function linesAt(path: string, wanted: ReadonlySet<number>, context: ToolContext) {
  const numbers = [...wanted].sort((a, b) => a - b)
  const limit = (numbers.at(-1) ?? 1) - (numbers[0] ?? 1) + 1
  try {
    const checked = await checkRead(path, fileRules(context))
    if (checked.path !== path) return new Map<number, string>()
    await using opened = await openChecked(checked)
    const { lines } = await readLines(opened, { offset: numbers[0] ?? 1, limit, wanted }, context.signal)
    return new Map(lines.map((text, index) => [numbers[index] ?? 0, text]))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error) || context.signal.aborted) throw error
    return new Map<number, string>()
  }
}

function continuation(isTruncated: boolean, next: number): Found {
  return isTruncated ? { truncated: true, _hint: `More results: use offset=${next}.` } : {}
}

function unfinished({ isUnfinished }: FoundPage): Found {
  return isUnfinished
    ? { _warning: `Stopped after ${timeoutMs / 1_000} s; search in a smaller folder or with file_glob.` }
    : {}
}

function withWarnings(...warnings: readonly unknown[]): Found {
  const texts = warnings.filter((text) => typeof text === 'string')
  return texts.length > 0 ? { _warning: texts.join(' ') } : {}
}

async function missing({ asked, path }: CheckedPath): Promise<ToolResult> {
  const similar = await similarIn(dirname(path), basename(path))
  return failure(`Path not found: ${asked}`, similar.length > 0 ? { similar_files: similar } : {})
}

function failure(error: string, more: Found = {}): ToolResult {
  return jsonResult({ total_count: 0, error, ...more }, 'error')
}
