// Values that are secret because of what they are called, in JSON, env files, YAML, INI and code. In data files, a name
// such as `password` or `api_key` hides whatever stands there; in code, and under names that only may mean a secret
// (`token`, `key`), the value itself must look like one, so that programs stay readable.
import type { HideRule } from './rule.ts'
import { nameEnding, namedOption, namedStart, strongNames, weakNames, weakWords } from './words.ts'

const names = `(?:(${strongNames})|${weakNames}|(?<![A-Za-z])(?:${weakWords}))${nameEnding}`

/** `"client_secret": "…"`. */
const json = new RegExp(
  `("[\\w.-]{0,64}?${names}"[ \\t]{0,4}:[ \\t]{0,4}")((?:[^"\\\\«\\r\\n]|\\\\[^«\\r\\n]){4,8192})`,
  'gi',
)

/** The same within a JSON text: `\\"client_secret\\": \\"…\\"`. */
const escapedJson = new RegExp(
  `(\\\\"[\\w.-]{0,64}?${names}\\\\"[ \\t]{0,4}:[ \\t]{0,4}\\\\")((?:[^"\\\\«\\r\\n]|\\\\(?!")){4,8192})`,
  'gi',
)

/** `OPENROUTER_API_KEY=…`, anywhere: a name in capitals, as variables have it. */
const variable = new RegExp(
  `((?<![A-Za-z0-9_«.-])[A-Z0-9_]{0,64}?(?:(${strongNames.toUpperCase()})|${weakNames.toUpperCase()}|(?<![A-Z])(?:${weakWords.toUpperCase()}))(?:_?(?:VALUE|B64|BASE64))?_?\\d{0,3}=["']?)([^\\s"'\`«]{4,8192})`,
  'g',
)

/** A line of YAML or INI with nothing but a comment after the value. */
const yaml = new RegExp(
  `^([ \\t]{0,64}(?:-[ \\t]{1,4})?["']?[\\w.-]{0,64}?${names}["']?(?::[ \\t]{1,4}|[ \\t]{0,4}=[ \\t]{0,4}))("[^"«\\r\\n]{4,8192}"|'[^'«\\r\\n]{4,8192}'|[^\\s"'«#&*!|>{[][^\\s"'«]{3,8192})(?=[ \\t]{0,64}(?:#[^\\r\\n]*)?$)`,
  'gim',
)

/** Anything else: `apiKey: "…",`, `password = …`, `--token …`, `AccountKey=…;`. */
const separator = '(?:["\']?[ \\t]{0,4}(?::=|=>|[:=])[ \\t]{0,4}|(?<=--[\\w-]{0,64})[ \\t]{1,4})'
const quoted = new RegExp(
  `((?<!«)${names}${separator})("[^"«\\r\\n]{8,8192}"|'[^'«\\r\\n]{8,8192}'|\`[^\`«\\r\\n]{8,8192}\`)`,
  'gi',
)
const bare = new RegExp(`((?<!«)${names}${separator})([^\\s"'\`«,;&(){}<>\\\\]{8,8192})`, 'gi')

const start = new RegExp(`${namedStart}|${namedOption}`, 'gi')
const lineBreaks: ReadonlySet<number> = new Set([0x0a, 0x0d, 0x2028, 0x2029])
const lineEnd = /[\n\r\u2028\u2029]|$/g

/** Values that are secret because of the name that they have. Only lines with such a name are looked at closely. */
export const hideNamedValues: HideRule = (text, hide) => {
  let result = ''
  let done = 0
  start.lastIndex = 0
  for (let found = start.exec(text); found; found = start.exec(text)) {
    lineEnd.lastIndex = found.index
    const to = lineEnd.exec(text)?.index ?? text.length
    const from = Math.max(done, lineStart(text, found.index))
    result += text.slice(done, from) + hideInLine(text.slice(from, to), hide)
    done = to
    start.lastIndex = to
  }
  return done === 0 ? text : result + text.slice(done)
}

function lineStart(text: string, at: number): number {
  let from = at
  while (from > 0 && !lineBreaks.has(text.charCodeAt(from - 1))) from--
  return from
}

function hideInLine(line: string, hide: (secret: string) => string): string {
  const inData = (whole: string, head: string, strong: string | undefined, value: string) => {
    const isSecret = strong === undefined ? looksRandom(value, 12) : !isNoSecret(value)
    return isSecret ? head + hide(value) : whole
  }
  const inYaml = (whole: string, head: string, strong: string | undefined, value: string) => {
    if (/^["']/.test(value)) return inQuotes(value, head, inData(whole, '', strong, value.slice(1, -1)), whole)
    return /^[A-Za-z_.]+$/.test(value) ? whole : inData(whole, head, strong, value)
  }
  const inCode = (whole: string, head: string, strong: string | undefined, value: string) => {
    const isSecret = looksRandom(value, strong === undefined ? 16 : 8)
    return isSecret ? head + hide(value) : whole
  }
  const inCodeQuotes = (whole: string, head: string, strong: string | undefined, value: string) => {
    const inner = value.slice(1, -1)
    const isPassword = strong !== undefined && looksLikePassword(inner)
    return inQuotes(value, head, isPassword ? hide(inner) : inCode(whole, '', strong, inner), whole)
  }
  return line
    .replace(json, inData)
    .replace(escapedJson, inData)
    .replace(variable, inData)
    .replace(yaml, inYaml)
    .replace(quoted, inCodeQuotes)
    .replace(bare, inCode)
}

/** What was hidden, between the quotes of the value; the whole where nothing was. */
function inQuotes(value: string, head: string, hidden: string, whole: string): string {
  return hidden === whole ? whole : head + value.slice(0, 1) + hidden + value.slice(-1)
}

/** What stands for a value without being one: references, paths, types, places to fill in. */
function isNoSecret(value: string): boolean {
  return references.test(value) || wordsForValues.test(value) || identifiers.test(value)
}

const references =
  /^(?:\$[A-Za-z_{(]|%[A-Za-z{]|<[^>]*>?$|\{\{|\*+$|\.{1,2}\/|\/[\w.-]+\/|~\/|[a-z][a-z0-9+]*:\/\/|process\.env|os\.environ|os\.getenv|env\.|xxx|\.\.\.|…|your[-_ ]|-----BEGIN)|\$\{|\(\)|=>/i

const wordsForValues =
  /^(?:true|false|null|none|nil|undefined|string|number|boolean|bool|object|array|required|optional|unknown|any|str|int|bytes|text|passwords?|passwd|secrets?|tokens?|api[-_ ]?keys?|default|disabled|enabled|auto|manual|\(?not set\)?|changeme|placeholder|redacted|\[redacted\])[,;]?$/i

/** `config.password`, `DB_PASSWORD`. */
const identifiers = /^(?:[A-Za-z_$]+(?:\??\.[A-Za-z_$]+)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)[,;]?$/

/** Made by chance: letters and digits mixed in one run, not words joined by dashes (`test-key-123`), not a version. */
function looksRandom(value: string, minLength: number): boolean {
  if (value.length < minLength || isNoSecret(value) || value.split(' ').length > 6) return false
  return value.split(/[^A-Za-z0-9]+/).some((part) => {
    if (part.length < 8 || !/\d/.test(part) || !/[A-Za-z]/.test(part)) return false
    return !/^(?:[A-Za-z]+\d{1,4}|\d+[A-Za-z]{1,3})$/.test(part)
  })
}

/** All four kinds of characters, as password rules ask for. */
function looksLikePassword(value: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9\s._/-]/]
  return value.length >= 8 && !/\s/.test(value) && !isNoSecret(value) && kinds.every((kind) => kind.test(value))
}
