import { decodeAnsi } from '../../terminals/exported-variables.ts'
import { Cursor, emptyWord, type ScriptParser } from './cursor.ts'
import type { ParameterPart, Word, WordPart } from './syntax.ts'

/** Parses words: quotes, expansions and substitutions. */
export class WordParser {
  readonly #scripts: ScriptParser

  constructor(scripts: ScriptParser) {
    this.#scripts = scripts
  }

  /** A word up to a blank or an operator; undefined when there is none here. */
  word(cursor: Cursor): Word | undefined {
    return this.#wordUntil(cursor, (character) => ' \t\n;&|<>()'.includes(character))
  }

  /** A word of `[[ … ]]`, where only blanks part words. */
  testWord(cursor: Cursor): Word | undefined {
    return this.#wordUntil(cursor, (character) => ' \t\n'.includes(character))
  }

  /** The inside of `((…))` up to the closing `))`, which is taken. */
  arithmetic(cursor: Cursor): Word {
    const parts = createParts()
    let open = 0
    while (!cursor.isAtEnd) {
      if (open === 0 && cursor.take('))')) return { parts: parts.done() }
      const character = cursor.peek()
      if (character === ')' && open === 0) break
      if (cursor.take('\\\n')) continue
      // Where a quote in arithmetic ends is not the same in all shells.
      if (`"'\\`.includes(character)) cursor.refuse('quote in arithmetic')
      if (character === '(') open++
      if (character === ')') open--
      if (!this.#expansion(cursor, parts, true)) {
        parts.text(character, true)
        cursor.position++
      }
    }
    return cursor.fail('unclosed arithmetic')
  }

  /** The text of a here-document, in which substitutions happen. */
  heredoc(text: string, outer?: Cursor): Word {
    const cursor = new Cursor(text, outer)
    const parts = createParts()
    while (!cursor.isAtEnd) this.#quotedCharacter(cursor, parts, '')
    return { parts: parts.done() }
  }

  #wordUntil(cursor: Cursor, isEnd: (character: string) => boolean): Word | undefined {
    const { position } = cursor
    const parts = createParts()
    while (!cursor.isAtEnd) {
      if (cursor.take('\\\n')) continue
      const character = cursor.peek()
      if ((character === '<' || character === '>') && cursor.peek(1) === '(') {
        cursor.position += 2
        const script = cursor.nested(() => this.#scripts.scriptUntil(cursor, ')'))
        parts.add({ type: 'process', script, direction: character })
        continue
      }
      if (character === '(' && parts.endsWithGlobOperator()) {
        this.#extendedGlob(cursor, parts)
        continue
      }
      if (isEnd(character)) break
      this.#plainCharacter(cursor, parts)
    }
    return cursor.position === position ? undefined : { parts: parts.done() }
  }

  #plainCharacter(cursor: Cursor, parts: Parts): void {
    const character = cursor.peek()
    if (character === '\\') {
      parts.text(cursor.peek(1), true)
      cursor.position += 2
      return
    }
    if (character === "'") return this.#singleQuoted(cursor, parts)
    if (character === '"') return this.#doubleQuoted(cursor, parts)
    if (this.#expansion(cursor, parts, false)) return
    parts.text(character, false)
    cursor.position++
  }

  #singleQuoted(cursor: Cursor, parts: Parts): void {
    const end = cursor.text.indexOf("'", cursor.position + 1)
    if (end === -1) cursor.fail('unclosed quote')
    parts.text(cursor.text.slice(cursor.position + 1, end), true)
    cursor.position = end + 1
  }

  #doubleQuoted(cursor: Cursor, parts: Parts): void {
    cursor.position++
    // An empty pair still makes a word.
    parts.text('', true)
    while (!cursor.take('"')) {
      if (cursor.isAtEnd) cursor.fail('unclosed quote')
      this.#quotedCharacter(cursor, parts, '"')
    }
  }

  /** A character inside double quotes, or of a here-document (where `quote` is empty). */
  #quotedCharacter(cursor: Cursor, parts: Parts, quote: '"' | ''): void {
    if (cursor.take('\\\n')) return
    const character = cursor.peek()
    const next = cursor.peek(1)
    if (character === '\\' && next !== '' && `$\`\\${quote}`.includes(next)) {
      parts.text(next, true)
      cursor.position += 2
      return
    }
    if (this.#expansion(cursor, parts, true)) return
    parts.text(character, true)
    cursor.position++
  }

  /** Something that begins with `$` or a backquote; false when there is none here. */
  #expansion(cursor: Cursor, parts: Parts, quoted: boolean): boolean {
    if (cursor.peek() === '`') {
      parts.add({ type: 'command', script: this.#backquoted(cursor, quoted), quoted })
      return true
    }
    if (cursor.peek() !== '$') return false
    if (!quoted && cursor.startsWith("$'")) {
      this.#ansiQuoted(cursor, parts)
      return true
    }
    if (!quoted && cursor.startsWith('$"')) {
      cursor.position++
      this.#doubleQuoted(cursor, parts)
      return true
    }
    if (cursor.startsWith('$((')) {
      const word = cursor.attempt(() => {
        cursor.position += 3
        return cursor.nested(() => this.arithmetic(cursor))
      })
      if (word) {
        parts.add({ type: 'arithmetic', word })
        return true
      }
    }
    if (cursor.take('$(')) {
      const script = cursor.nested(() => this.#scripts.scriptUntil(cursor, ')'))
      parts.add({ type: 'command', script, quoted })
      return true
    }
    if (cursor.take('${')) {
      parts.add(cursor.nested(() => this.#braced(cursor, quoted)))
      return true
    }
    const name = cursor.match(/\$([A-Za-z_]\w*|[0-9@*#?$!-])/y)?.[1]
    if (name === undefined) return false
    parts.add(parameter({ name, quoted }))
    return true
  }

  #ansiQuoted(cursor: Cursor, parts: Parts): void {
    const inside = cursor.match(/\$'((?:[^'\\]|\\[^])*)'/y)
    if (!inside) cursor.fail('unclosed quote')
    parts.text(decodeAnsi(inside?.[1] ?? ''), true)
  }

  #backquoted(cursor: Cursor, quoted: boolean) {
    const inside = cursor.match(/`((?:[^`\\]|\\[^])*)`/y)
    if (!inside) cursor.fail('unclosed backquote')
    const text = (inside?.[1] ?? '').replace(quoted ? /\\([$`\\"])/g : /\\([$`\\])/g, '$1')
    return cursor.nested(() => this.#scripts.script(text, cursor))
  }

  /** What follows `${`, through the closing brace. */
  #braced(cursor: Cursor, quoted: boolean): ParameterPart {
    const mark = cursor.match(/[!#](?=[A-Za-z_0-9@*#?$!-])/y)?.[0]
    const name = cursor.match(/[A-Za-z_]\w*|\d+|[@*#?$!-]/y)?.[0]
    if (name === undefined) return cursor.fail('bad substitution')
    const isList = cursor.match(/\[[@*]\]/y) !== undefined
    const subscript =
      !isList && cursor.take('[') ? this.#bracedUntil(cursor, ']', { quoted, isDefault: false }) : emptyWord
    const operator = cursor.match(/:?[-=?+]|##?|%%?|\/\/?|\^\^?|,,?|@|:|[!*]/y)?.[0] ?? ''
    const argument = this.#bracedUntil(cursor, '}', { quoted, isDefault: /^:?[-=?+]$/.test(operator) })
    const isDerived = mark !== undefined
    return parameter({
      name,
      operator,
      argument,
      subscript,
      isDerived,
      isList: isList || name === '@' || name === '*',
      quoted,
    })
  }

  #bracedUntil(
    cursor: Cursor,
    closer: ']' | '}',
    { quoted, isDefault }: { readonly quoted: boolean; readonly isDefault: boolean },
  ): Word {
    const parts = createParts()
    while (!cursor.take(closer)) {
      if (cursor.isAtEnd) cursor.fail(`expected ${closer}`)
      if (cursor.take('\\\n')) continue
      if (quoted && /\$?'|\$"/y.test(cursor.text.slice(cursor.position, cursor.position + 2))) {
        // Inside double quotes an apostrophe is a plain character: "${name:-it's}". In patterns it is a quote.
        if (cursor.peek() !== "'" || !isDefault) cursor.refuse('quote in an expansion')
        parts.text("'", true)
        cursor.position++
      } else this.#plainCharacter(cursor, parts)
    }
    return { parts: parts.done() }
  }

  /** `@(a|b)` and the like, with its operator already taken: kept as text that matches file names. */
  #extendedGlob(cursor: Cursor, parts: Parts): void {
    cursor.nested(() => {
      parts.text('(', false)
      cursor.position++
      while (!cursor.take(')')) {
        if (cursor.isAtEnd) cursor.fail('expected )')
        if (cursor.peek() === '(') this.#extendedGlob(cursor, parts)
        else this.#plainCharacter(cursor, parts)
      }
      parts.text(')', false)
    })
  }
}

function parameter(
  given: Pick<ParameterPart, 'name' | 'quoted'> & Partial<Omit<ParameterPart, 'type'>>,
): ParameterPart {
  const isList = given.name === '@' || given.name === '*'
  return {
    type: 'parameter',
    operator: '',
    argument: emptyWord,
    subscript: emptyWord,
    isDerived: false,
    isList,
    ...given,
  }
}

type Parts = ReturnType<typeof createParts>

/** Collects a word's parts, with neighbouring texts of one kind as one. */
function createParts() {
  const parts: WordPart[] = []
  let text = ''
  let isQuoted = false
  let hasText = false

  function flush(): void {
    if (hasText) parts.push({ type: 'text', text, quoted: isQuoted })
    text = ''
    hasText = false
  }

  return {
    text(more: string, quoted: boolean) {
      if (hasText && quoted !== isQuoted) flush()
      text += more
      isQuoted = quoted
      hasText = true
    },
    add(part: WordPart) {
      flush()
      parts.push(part)
    },
    endsWithGlobOperator: () => hasText && !isQuoted && /[?*+@!]$/.test(text),
    done() {
      flush()
      return parts
    },
  }
}
