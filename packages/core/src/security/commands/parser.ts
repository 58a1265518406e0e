import { Cursor, emptyWord, type ScriptParser } from './cursor.ts'
import type {
  Assignment,
  Command,
  Pipeline,
  Redirect,
  RedirectOperator,
  Script,
  SimpleCommand,
  Word,
} from './syntax.ts'
import { WordParser } from './word-parser.ts'

/** Parses a command line as bash would. Throws `CommandSyntaxError`. */
export function parseCommandLine(text: string): Script {
  return parser.script(text)
}

/** Reads a text in which substitutions happen, whatever quotes it has. Throws `CommandSyntaxError`. */
export function parseSubstitutions(text: string): Word {
  return words.heredoc(text)
}

const parser: ScriptParser = {
  script(text, outer) {
    const cursor = new Cursor(text, outer)
    const script = parseScript(cursor)
    if (!cursor.isAtEnd) cursor.fail(`unexpected ${cursor.peek()}`)
    return script
  },
  scriptUntil(cursor, closer) {
    const script = parseScript(cursor)
    cursor.expect(closer)
    return script
  },
}

const words = new WordParser(parser)

/** Words that end a script where a command could begin. */
const closingWords = /(?:then|elif|else|fi|do|done|esac|\})(?=[\s;&|()<>]|$)/y

function parseScript(cursor: Cursor): Script {
  const pipelines: Pipeline[] = []
  for (;;) {
    skipBlankLines(cursor)
    if (cursor.isAtEnd || cursor.peek() === ')' || cursor.startsWith(';;') || cursor.startsWith(';&')) break
    if (lookingAt(cursor, closingWords)) break
    const commands = parsePipeline(cursor)
    skipBlanks(cursor)
    const isJoined = cursor.take('&&') || cursor.take('||')
    if (isJoined) {
      skipBlankLines(cursor)
      if (cursor.isAtEnd) cursor.fail('unexpected end')
    }
    const background = !isJoined && !cursor.startsWith('&&') && cursor.take('&')
    pipelines.push({ commands, background })
    if (isJoined || background) continue
    if (cursor.startsWith(';') && !cursor.startsWith(';;') && !cursor.startsWith(';&')) cursor.position++
    else if (cursor.peek() !== '\n') break
  }
  return { pipelines }
}

function parsePipeline(cursor: Cursor): Command[] {
  for (;;) {
    skipBlanks(cursor)
    if (!cursor.match(/!(?=[\s(])|time(?=\s)(?:[ \t]+-p(?=\s))?(?:[ \t]+--(?=\s))?/y)) break
  }
  const commands = [cursor.nested(() => parseCommand(cursor))]
  for (;;) {
    skipBlanks(cursor)
    if (cursor.startsWith('||') || !(cursor.take('|&') || cursor.take('|'))) return commands
    skipBlankLines(cursor)
    commands.push(cursor.nested(() => parseCommand(cursor)))
  }
}

const compound = /(?:if|while|until|for|select|case|function|coproc|\{|\[\[)(?=[\s;&|()<>]|$)/y

function parseCommand(cursor: Cursor): Command {
  skipBlanks(cursor)
  if (cursor.startsWith('((')) {
    const word = cursor.attempt(() => {
      cursor.position += 2
      return words.arithmetic(cursor)
    })
    if (word) return { type: 'test', words: [word], redirects: parseRedirects(cursor) }
  }
  if (cursor.take('(')) {
    const body = parser.scriptUntil(cursor, ')')
    return { type: 'group', body, redirects: parseRedirects(cursor) }
  }
  const keyword = cursor.match(compound)?.[0]
  return keyword === undefined ? parseSimpleOrFunction(cursor) : parseCompound(cursor, keyword)
}

function parseCompound(cursor: Cursor, keyword: string): Command {
  switch (keyword) {
    case '{': {
      const body = parseScript(cursor)
      cursor.expect('}')
      return { type: 'group', body, redirects: parseRedirects(cursor) }
    }
    case 'if':
      return { type: 'branches', scripts: parseIf(cursor), redirects: parseRedirects(cursor) }
    case 'while':
    case 'until': {
      const scripts = [parseScript(cursor), parseBody(cursor)]
      return { type: 'branches', scripts, redirects: parseRedirects(cursor) }
    }
    case 'for':
    case 'select':
      return parseLoop(cursor)
    case 'case':
      return parseCase(cursor)
    case 'function': {
      skipBlanks(cursor)
      const name = cursor.match(/[^\s()<>;&|]+/y)?.[0] ?? cursor.fail('expected a name')
      cursor.match(/[ \t]*\([ \t]*\)/y)
      return parseFunctionBody(cursor, name)
    }
    case 'coproc':
      cursor.match(/[ \t]+[A-Za-z_]\w*(?=[ \t]+[{(])/y)
      return parseCommand(cursor)
    default:
      return parseTest(cursor)
  }
}

function parseIf(cursor: Cursor): Script[] {
  const scripts = [parseScript(cursor)]
  expectWord(cursor, 'then')
  scripts.push(parseScript(cursor))
  for (;;) {
    if (takeWord(cursor, 'elif')) {
      scripts.push(parseScript(cursor))
      expectWord(cursor, 'then')
      scripts.push(parseScript(cursor))
    } else if (takeWord(cursor, 'else')) scripts.push(parseScript(cursor))
    else break
  }
  expectWord(cursor, 'fi')
  return scripts
}

/** `do … done`, or the braces that bash takes in their place. */
function parseBody(cursor: Cursor): Script {
  skipBlankLines(cursor)
  if (takeWord(cursor, '{')) {
    const script = parseScript(cursor)
    cursor.expect('}')
    return script
  }
  expectWord(cursor, 'do')
  const script = parseScript(cursor)
  expectWord(cursor, 'done')
  return script
}

function parseLoop(cursor: Cursor): Command {
  skipBlanks(cursor)
  if (cursor.take('((')) {
    const header = words.arithmetic(cursor)
    cursor.match(/[ \t]*;?/y)
    const body = parseBody(cursor)
    return { type: 'loop', variable: undefined, words: [header], body, redirects: parseRedirects(cursor) }
  }
  const variable = cursor.match(/[A-Za-z_]\w*/y)?.[0] ?? cursor.fail('expected a name')
  skipBlankLines(cursor)
  const list = takeWord(cursor, 'in') ? parseWords(cursor) : undefined
  cursor.match(/[ \t]*;?/y)
  const body = parseBody(cursor)
  return { type: 'loop', variable, words: list, body, redirects: parseRedirects(cursor) }
}

function parseCase(cursor: Cursor): Command {
  skipBlanks(cursor)
  const list = [words.word(cursor) ?? cursor.fail('expected a word')]
  const scripts: Script[] = []
  skipBlankLines(cursor)
  expectWord(cursor, 'in')
  for (;;) {
    skipBlankLines(cursor)
    if (takeWord(cursor, 'esac')) break
    cursor.take('(')
    do {
      skipBlanks(cursor)
      list.push(words.word(cursor) ?? cursor.fail('expected a pattern'))
      skipBlanks(cursor)
    } while (cursor.take('|'))
    cursor.expect(')')
    scripts.push(parseScript(cursor))
    skipBlankLines(cursor)
    if (!cursor.match(/;;&|;;|;&/y) && !lookingAt(cursor, /esac/y)) cursor.fail('expected ;;')
  }
  return { type: 'case', words: list, scripts, redirects: parseRedirects(cursor) }
}

function parseTest(cursor: Cursor): Command {
  const list: Word[] = []
  for (;;) {
    skipBlankLines(cursor)
    if (cursor.match(/\]\](?=[\s;&|()<>]|$)/y)) break
    list.push(words.testWord(cursor) ?? cursor.fail('expected ]]'))
  }
  return { type: 'test', words: list, redirects: parseRedirects(cursor) }
}

function parseFunctionBody(cursor: Cursor, name: string): Command {
  skipBlankLines(cursor)
  const body = cursor.nested(() => parseCommand(cursor))
  if (body.type === 'simple') cursor.fail('expected the body of a function')
  return { type: 'function', name, body }
}

function parseSimpleOrFunction(cursor: Cursor): Command {
  const name = cursor.match(/[^\s'"\\$`;&|<>(){}=~#]+(?=[ \t]*\([ \t]*\))/y)?.[0]
  if (name !== undefined) {
    cursor.match(/[ \t]*\([ \t]*\)/y)
    return parseFunctionBody(cursor, name)
  }
  return parseSimple(cursor)
}

/** Builtins whose arguments are assignments, of arrays too. */
const declaring: ReadonlySet<string> = new Set(['declare', 'typeset', 'local', 'export', 'readonly'])

function parseSimple(cursor: Cursor): SimpleCommand {
  const start = cursor.position
  const assignments: Assignment[] = []
  const list: Word[] = []
  const redirects: Redirect[] = []
  for (;;) {
    skipBlanks(cursor)
    const redirect = parseRedirect(cursor)
    if (redirect) {
      redirects.push(redirect)
      continue
    }
    const isDeclaring = list[0] !== undefined && declaring.has(plainText(list[0]))
    const assignment = list.length === 0 || isDeclaring ? parseAssignment(cursor) : undefined
    if (assignment) {
      assignments.push(assignment)
      continue
    }
    const word = words.word(cursor)
    if (!word) break
    list.push(word)
  }
  if (assignments.length + list.length + redirects.length === 0) cursor.fail(`unexpected ${cursor.peek() || 'end'}`)
  return { type: 'simple', assignments, words: list, redirects, start }
}

function parseAssignment(cursor: Cursor): Assignment | undefined {
  const name = cursor.match(/([A-Za-z_]\w*)(?:\[([^\]\n]*)\])?(\+?)=/y)
  if (!name?.[1]) return undefined
  const append = name[3] === '+'
  const subscript = name[2] === undefined ? emptyWord : words.heredoc(name[2], cursor)
  if (!cursor.take('(')) return { name: name[1], subscript, append, values: [words.word(cursor) ?? emptyWord] }
  const values = parseWords(cursor, { overLines: true })
  cursor.expect(')')
  return { name: name[1], subscript, append, values }
}

function parseWords(cursor: Cursor, { overLines = false } = {}): Word[] {
  const list: Word[] = []
  for (;;) {
    if (overLines) skipBlankLines(cursor)
    else skipBlanks(cursor)
    const word = words.word(cursor)
    if (!word) return list
    list.push(word)
  }
}

function parseRedirects(cursor: Cursor): Redirect[] {
  const redirects: Redirect[] = []
  for (;;) {
    skipBlanks(cursor)
    const redirect = parseRedirect(cursor)
    if (!redirect) return redirects
    redirects.push(redirect)
  }
}

function parseRedirect(cursor: Cursor): Redirect | undefined {
  const found = cursor.match(/(?:\d+|\{[A-Za-z_]\w*\})?(<<<|<<-?|<>|<&|<(?!\()|>>|>\||>&|>(?!\())|(&>>|&>)/y)
  if (!found) return undefined
  const operator = found[1] ?? found[2] ?? ''
  skipBlanks(cursor)
  if (operator === '<<' || operator === '<<-') return parseHeredoc(cursor, operator === '<<-')
  const target = words.word(cursor) ?? cursor.fail('expected a file')
  // The pattern above allows these alone.
  return { operator: operator as RedirectOperator, target }
}

function parseHeredoc(cursor: Cursor, stripTabs: boolean): Redirect {
  const start = cursor.position
  const word = words.word(cursor) ?? cursor.fail('expected a delimiter')
  const source = cursor.text.slice(start, cursor.position)
  const isQuoted = /['"\\]/.test(source)
  const redirect: { operator: '<<'; target: Word } = { operator: '<<', target: emptyWord }
  cursor.pending.push({
    delimiter: isQuoted ? plainText(word) : source,
    isQuoted,
    stripTabs,
    fill(text) {
      redirect.target = isQuoted ? { parts: [{ type: 'text', text, quoted: true }] } : words.heredoc(text, cursor)
    },
  })
  return redirect
}

/** A word's text, where it is nothing but text. */
function plainText(word: Word): string {
  return word.parts.map((part) => (part.type === 'text' ? part.text : '\0')).join('')
}

function skipBlanks(cursor: Cursor): void {
  while (cursor.match(/[ \t]+|\\\n/y)) continue
  // A comment begins where a word could.
  if (cursor.peek() === '#' && /^$|[\s;&|()]/.test(cursor.text.charAt(cursor.position - 1))) cursor.match(/[^\n]*/y)
}

function skipBlankLines(cursor: Cursor): void {
  do skipBlanks(cursor)
  while (cursor.takeNewline())
}

function lookingAt(cursor: Cursor, pattern: RegExp): boolean {
  pattern.lastIndex = cursor.position
  return pattern.test(cursor.text)
}

function takeWord(cursor: Cursor, word: string): boolean {
  if (!cursor.startsWith(word) || !/^$|[\s;&|()<>]/.test(cursor.peek(word.length))) return false
  cursor.position += word.length
  return true
}

function expectWord(cursor: Cursor, word: string): void {
  if (!takeWord(cursor, word)) cursor.fail(`expected ${word}`)
}
