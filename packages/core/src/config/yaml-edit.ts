// Changes one key in the text of a YAML file and leaves every other byte. A library's document would be printed anew as
// a whole (spacing, quotes, line breaks), so the text is cut at the places that the parser tells; what comes out is
// parsed again and must hold exactly the change.
import { isDeepStrictEqual } from 'node:util'
import { Document, isAlias, isCollection, isMap, isScalar, isSeq, type ParsedNode, visit, type YAMLMap } from 'yaml'
import { ConfigError } from './config-error.ts'
import { formatKey } from './key-path.ts'
import { getAt, isTree, removeAt, setAt } from './tree.ts'
import { findPair, keyOf, pairsOf, parseYamlFile, type YamlFile, type YamlPair } from './yaml-file.ts'

/** The text with `value` at `path`. Throws `ConfigError`: `syntax`, or `edit-by-hand` where it cannot be done safely. */
export function setInYaml(text: string, path: readonly string[], value: unknown): string {
  const file = parseYamlFile(text, 'The file')
  if (isDeepStrictEqual(getAt(file.tree, path), value)) return text
  const expected = structuredClone(file.tree)
  setAt(expected, path, structuredClone(value))
  return firstThatHolds(expected, path, [
    () => setByText(text, file, path, value),
    () => print(file, (document) => document.setIn(path, value)),
  ])
}

/** The text without `path`. A mapping that becomes empty stays as `{}`. Throws as `setInYaml`. */
export function removeFromYaml(text: string, path: readonly string[]): string {
  const file = parseYamlFile(text, 'The file')
  if (getAt(file.tree, path) === undefined) return text
  const expected = structuredClone(file.tree)
  removeAt(expected, path)
  return firstThatHolds(expected, path, [
    () => removeByText(text, file, path),
    () => print(file, (document) => document.deleteIn(path)),
  ])
}

function firstThatHolds(
  expected: unknown,
  path: readonly string[],
  attempts: readonly (() => string | undefined)[],
): string {
  for (const attempt of attempts) {
    const text = attempt()
    if (text !== undefined && isDeepStrictEqual(treeOf(text), expected)) return text
  }
  throw new ConfigError(
    'edit-by-hand',
    `${formatKey(path)} stands in a part of the file that only an editor can change.`,
  )
}

function treeOf(text: string): unknown {
  try {
    return parseYamlFile(text, 'The file').tree
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}

/** The library's own way: comments survive, the spacing may not. */
function print(file: YamlFile, change: (document: YamlFile['document']) => void): string | undefined {
  const document = file.document.clone() as YamlFile['document']
  try {
    change(document)
    return document.toString({ lineWidth: 0, flowCollectionPadding: false })
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

function setByText(text: string, file: YamlFile, path: readonly string[], value: unknown): string | undefined {
  let deepest: YamlPair | undefined
  let depth = 0
  while (depth < path.length) {
    const pair = findPair(file.document.contents, path.slice(0, depth + 1))
    if (!pair) break
    deepest = pair
    depth++
  }
  const rest = path.slice(depth)
  const parent = deepest ? deepest.value : file.document.contents
  const isInFlow = isFlowAt(file, path.slice(0, depth - 1))
  if (deepest && rest.length === 0) return replaceValue(text, deepest, value, isInFlow)
  if (isMap(parent)) return insertPair(text, parent, rest, value)
  if (!isNothing(parent)) return undefined
  if (deepest) return replaceValue(text, deepest, nest(rest, value), isInFlow)
  return append(text, blockText(nest(rest, value), 0, newlineOf(text)))
}

/** Whether the mapping at a path is written within `{}`. */
function isFlowAt(file: YamlFile, path: readonly string[]): boolean {
  const node = path.length === 0 ? file.document.contents : findPair(file.document.contents, path)?.value
  return isCollection(node) && node.flow === true
}

function replaceValue(text: string, pair: YamlPair, value: unknown, isInFlow: boolean): string | undefined {
  const old = pair.value
  const colon = colonOf(text, pair)
  if (colon === undefined) return undefined
  if (!old || isNothing(old)) {
    // Nothing at all is told to stand just before a comment, where a `~` stands where it stands.
    const [start, end] = old?.range ?? [colon, colon]
    if (isInFlow) return splice(text, colon, Math.max(colon, end), ` ${inlineText(value)}`)
    return rewriteValue(text, pair, colon, start === end ? colon : end, value)
  }
  const added = appendedItems(old, value)
  if (added) return insertLines(text, contentEnd(old), blockText(added, columnOf(text, old.range[0]), newlineOf(text)))
  if (isCollection(old) && !old.flow) return rewriteValue(text, pair, colon, contentEnd(old), value)
  const [start, end] = old.range
  // A block text takes the line break after it along.
  const lineBreak = /\r?\n$/.exec(text.slice(start, end))?.[0] ?? ''
  return splice(text, start, end, inlineText(value) + lineBreak)
}

/** Writes what follows the colon anew up to `end`; a comment on the key's line stays there. */
function rewriteValue(text: string, pair: YamlPair, colon: number, end: number, value: unknown): string {
  const isBlock = isCollection(pair.value)
  const comment = /^[ \t]+#[^\r\n]*/.exec(text.slice(isBlock ? colon : end))?.[0] ?? ''
  const cut = isBlock ? end : end + (/^[ \t]*(#[^\r\n]*)?/.exec(text.slice(end))?.[0].length ?? 0)
  const hasLines = (isTree(value) && Object.keys(value).length > 0) || (Array.isArray(value) && value.length > 0)
  const newline = newlineOf(text)
  const lines = () => blockText(value, columnOf(text, pair.key.range[0]) + 2, newline)
  return splice(text, colon, cut, hasLines ? comment + newline + lines() : ` ${inlineText(value)}${comment}`)
}

/** What `value` adds at the end of a list that it otherwise repeats. */
function appendedItems(old: ParsedNode | null, value: unknown): readonly unknown[] | undefined {
  if (!isSeq(old) || old.flow || !Array.isArray(value) || value.length <= old.items.length) return undefined
  const same = old.items.every((item, index) => isScalar(item) && String(item.value) === String(value[index]))
  return same ? value.slice(old.items.length) : undefined
}

function insertPair(text: string, map: YAMLMap, path: readonly string[], value: unknown): string | undefined {
  const pairs = pairsOf(map)
  const last = pairs.at(-1)
  if (map.flow) {
    const flow = inlineText(nest(path, value)).slice(1, -1)
    if (last) return splice(text, pairEnd(last), pairEnd(last), `, ${flow}`)
    const [start, end] = map.range ?? [0, 0]
    return splice(text, start + 1, end - 1, flow)
  }
  const [first] = pairs
  if (!first || !last) return undefined
  return insertLines(
    text,
    pairEnd(last),
    blockText(nest(path, value), columnOf(text, first.key.range[0]), newlineOf(text)),
  )
}

function removeByText(text: string, file: YamlFile, path: readonly string[]): string | undefined {
  const pair = findPair(file.document.contents, path)
  const parent = path.length > 1 ? findPair(file.document.contents, path.slice(0, -1)) : undefined
  const map = parent ? parent.value : file.document.contents
  if (!pair || !isMap(map)) return undefined
  const pairs = pairsOf(map)
  if (pairs.filter((item) => keyOf(item) === path.at(-1)).length !== 1) return undefined
  if (map.flow) return removeFromFlow(text, pairs, pairs.indexOf(pair))
  if (pairs.length === 1 && parent) return replaceValue(text, parent, {}, false)
  const start = lineStart(text, pair.key.range[0])
  if (text.slice(start, pair.key.range[0]).trim() !== '') return undefined
  return splice(text, start, lineAfter(text, pairEnd(pair)), '')
}

function removeFromFlow(text: string, pairs: readonly YamlPair[], index: number): string | undefined {
  const pair = pairs[index]
  const before = pairs[index - 1]
  const after = pairs[index + 1]
  if (!pair) return undefined
  if (before) return splice(text, pairEnd(before), pairEnd(pair), '')
  return splice(text, pair.key.range[0], after ? after.key.range[0] : pairEnd(pair), '')
}

/** Where a value's own text ends: before the comments and line breaks after it. */
function contentEnd(node: ParsedNode): number {
  if (isMap(node) && !node.flow) {
    const last = pairsOf(node).at(-1)
    if (last) return pairEnd(last)
  } else if (isSeq(node) && !node.flow) {
    const last = node.items.at(-1)
    if (last) return contentEnd(last)
  }
  const [, end] = node.range
  return end
}

function pairEnd(pair: YamlPair): number {
  return pair.value ? Math.max(pair.key.range[1], contentEnd(pair.value)) : pair.key.range[1]
}

/** No value, or one that is written as nothing (`key:`, `~`, `null`). */
function isNothing(node: ParsedNode | null): boolean {
  return node === null || (isScalar(node) && node.value === null && !isAlias(node))
}

/** Just after the colon of a pair. */
function colonOf(text: string, pair: YamlPair): number | undefined {
  const found = /^[ \t]*:/.exec(text.slice(pair.key.range[1]))
  return found ? pair.key.range[1] + found[0].length : undefined
}

function insertLines(text: string, end: number, lines: string): string {
  const at = lineAfter(text, end)
  const needsBreak = at === text.length && !text.endsWith('\n')
  const newline = newlineOf(text)
  return splice(text, at, at, needsBreak ? newline + lines : lines + newline)
}

function append(text: string, lines: string): string {
  const newline = newlineOf(text)
  const gap = text === '' || text.endsWith('\n') ? '' : newline
  return `${text}${gap}${lines}${newline}`
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner: unknown, key) => ({ [key]: inner }), value)
}

/** A value on one line, fit to stand within `{}` and `[]` too. Quoted wherever YAML 1.1 would read something else. */
function inlineText(value: unknown): string {
  const document = documentOf([value])
  if (isCollection(document.contents)) document.contents.flow = true
  return document
    .toString({ ...printing, collectionStyle: 'flow' })
    .trim()
    .slice(1, -1)
}

/** A mapping or list over several lines, without a line break at its end. */
function blockText(value: unknown, indent: number, newline: string): string {
  const lines = documentOf(value).toString(printing).trimEnd().split('\n')
  return lines.map((line) => ' '.repeat(indent) + line).join(newline)
}

const printing = { lineWidth: 0, flowCollectionPadding: false, doubleQuotedAsJSON: true } as const

/** Texts of several lines are quoted, so that each value takes one line. */
function documentOf(value: unknown): Document {
  const document = new Document(value, { schema: 'yaml-1.1' })
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && /[\r\n]/.test(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  return document
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end)
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

function columnOf(text: string, at: number): number {
  return at - lineStart(text, at)
}

/** The start of the line after what ends at `end`; a block text ends after its own line break. */
function lineAfter(text: string, end: number): number {
  const found = text.indexOf('\n', text[end - 1] === '\n' ? end - 1 : end)
  return found === -1 ? text.length : found + 1
}

function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}
