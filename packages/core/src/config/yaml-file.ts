// Reads YAML as PyYAML reads it (YAML 1.1: `off` and `yes` are switches), since upstream reads the same files, except
// where 1.1 surprises people: `12:30` and dates stay texts, and whole numbers too large for a number (chat ids) too.
import {
  type Document,
  isMap,
  isScalar,
  LineCounter,
  type Pair,
  parseDocument,
  type ParsedNode,
  type ScalarTag,
  type Tags,
  type YAMLMap,
} from 'yaml'
import { ConfigError } from './config-error.ts'
import { isTree, type Tree } from './tree.ts'

export type YamlPair = Pair<ParsedNode, ParsedNode | null>

export interface YamlFile {
  readonly document: Document.Parsed
  readonly tree: Tree
  /** Line of the key at a path, from 1, or undefined where there is none. */
  readonly lineOf: (path: readonly string[]) => number | undefined
  /** Keys that stand in one mapping more than once; the last one counts. */
  readonly duplicates: readonly { readonly key: string; readonly lines: readonly number[] }[]
}

/** Parses a YAML file that holds a mapping, or nothing. Throws `ConfigError` with code `syntax`, naming the line. */
export function parseYamlFile(text: string, name: string): YamlFile {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    schema: 'yaml-1.1',
    merge: true,
    intAsBigInt: true,
    uniqueKeys: false,
    prettyErrors: false,
    // Nothing is printed; 'silent' would also leave out that a second document follows.
    logLevel: 'error',
    lineCounter: lines,
    customTags: pythonTags,
  })
  const [error] = document.errors
  const line = error && lines.linePos(error.pos[0]).line
  if (error)
    throw new ConfigError('syntax', `${name} line ${line} is no valid YAML: ${error.message}`, { cause: error })
  const value = documentValue(document, name)
  if (value !== null && value !== undefined && !isTree(value)) {
    throw new ConfigError('syntax', `${name} must hold settings (key: value), not a ${describe(value)}.`)
  }
  const lineAt = (pair: YamlPair) => lines.linePos(pair.key.range[0]).line
  const pairAt = pairFinder(document.contents)
  return {
    document,
    tree: value ?? {},
    lineOf(path) {
      const pair = pairAt(path)
      return pair && lineAt(pair)
    },
    duplicates: [...duplicatesIn(document.contents, lineAt)],
  }
}

/** The last pair at a path: where a key stands twice, the later one counts. */
export function findPair(node: ParsedNode | null, path: readonly string[]): YamlPair | undefined {
  let at = node
  let pair: YamlPair | undefined
  for (const key of path) {
    if (!isMap(at)) return undefined
    pair = pairsOf(at).findLast((item) => keyOf(item) === key)
    if (!pair) return undefined
    at = pair.value
  }
  return pair
}

/** As `findPair` for many paths of one document: each mapping is gone through once. */
function pairFinder(root: ParsedNode | null): (path: readonly string[]) => YamlPair | undefined {
  const indexes = new Map<YAMLMap, ReadonlyMap<string | undefined, YamlPair>>()
  const indexOf = (map: YAMLMap) => {
    const index = indexes.get(map) ?? new Map(pairsOf(map).map((pair) => [keyOf(pair), pair]))
    indexes.set(map, index)
    return index
  }
  return (path) => {
    let at = root
    let pair: YamlPair | undefined
    for (const key of path) {
      pair = isMap(at) ? indexOf(at).get(key) : undefined
      if (!pair) return undefined
      at = pair.value
    }
    return pair
  }
}

/** A parsed mapping's pairs. */
export function pairsOf(map: YAMLMap): readonly YamlPair[] {
  // Nodes of a parsed document are all ParsedNodes; the guard's type does not say so.
  return map.items as readonly YamlPair[]
}

export function keyOf(pair: YamlPair): string | undefined {
  return isScalar(pair.key) ? String(pair.key.value) : undefined
}

function pythonTags(tags: Tags): Tags {
  return tags.flatMap((tag): Tags => {
    if (typeof tag === 'string') return [tag]
    if (tag.tag.endsWith(':bool')) {
      // PyYAML takes `y` and `n` as texts.
      const words = (tag as ScalarTag).test?.source.replace(/\(\?:[YN]\|[yn]\|/, '(?:') ?? ''
      return [{ ...tag, test: new RegExp(words) } as ScalarTag]
    }
    const isTime = 'format' in tag && tag.format === 'TIME'
    return isTime || /:(timestamp|binary|omap|pairs|set)$/.test(tag.tag) ? [] : [tag]
  })
}

function documentValue(document: Document.Parsed, name: string): unknown {
  try {
    return toPlain(document.toJS())
  } catch (error) {
    // An alias that names no anchor, or aliases nested so deep that they would fill the memory.
    const isEndless = error instanceof Error && error.name === 'RangeError'
    if (!isEndless && !(error instanceof ReferenceError)) throw error
    const reason = isEndless ? 'it is nested too deep, or an alias stands within what it names' : error.message
    throw new ConfigError('syntax', `${name} is no valid YAML: ${reason}`, { cause: error })
  }
}

/** Whole numbers as numbers where they fit, else as texts with all their digits. */
function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (Array.isArray(value)) return value.map(toPlain)
  if (!isTree(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPlain(inner)]))
}

function describe(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value === 'string' ? 'text' : typeof value
}

function* duplicatesIn(
  node: ParsedNode | null,
  lineAt: (pair: YamlPair) => number,
): Generator<{ key: string; lines: readonly number[] }> {
  if (!isMap(node)) return
  const seen = new Map<string, number[]>()
  for (const pair of pairsOf(node)) {
    const key = keyOf(pair)
    if (key === undefined || key === '<<') continue
    seen.set(key, [...(seen.get(key) ?? []), lineAt(pair)])
    yield* duplicatesIn(pair.value, lineAt)
  }
  for (const [key, lines] of seen) if (lines.length > 1) yield { key, lines }
}
