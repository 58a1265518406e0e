import { expandBraces } from './braces.ts'
import { combinations, type Field, field, processIds, temporary, unknown } from './fields.ts'
import { changedValue } from './parameter-operators.ts'
import { echoed, filtered, printfed } from './printing.ts'
import type { ParameterPart, Script, SimpleCommand, Word, WordPart } from './syntax.ts'

/** What is known of the place where a command line runs. */
export interface Surroundings {
  readonly cwd: string
  /** `HOME` of commands. */
  readonly userHome: string
  readonly hermesHome: string
}

/** A piece of a word after expansion: text, or the border between two words. */
type Chunk =
  | { readonly text: string; readonly quoted: boolean; readonly process?: Script }
  | { readonly text: undefined }

const wordBorder: Chunk = { text: undefined }
const mostAlternatives = 16
const mostValues = 16
/** Longest value that is followed, characters: values made of values can grow without end. */
const longestValue = 20_000
const maxDepth = 12

/**
 * What words can stand for, without running anything. A variable can have every value that the command line gives it
 * anywhere; what is not known is `unknown`.
 */
export class ShellValues {
  readonly surroundings: Surroundings
  /** Folders that the command line may be in when it uses a relative path. */
  readonly directories: Set<string>
  readonly #variables = new Map<string, Set<string>>()
  readonly #lists = new Map<string, readonly (readonly Field[])[]>()
  /** Where positional parameters are unknown: in functions, and in scripts that get arguments. */
  #inFunction = 0
  #depth = 0

  constructor(surroundings: Surroundings) {
    this.surroundings = surroundings
    this.directories = new Set([surroundings.cwd])
  }

  /** The lists of arguments that a word can become. */
  expand(word: Word): Field[][] {
    return this.#guarded([[{ text: unknown, isOpen: true, isGlob: false }]], () =>
      combinations(
        expandBraces(word.parts).map((parts) => this.#alternatives(parts, true)),
        mostAlternatives,
      ).map((choice) => choice.flat()),
    )
  }

  /** The lists of arguments that some words can become together. */
  expandAll(words: readonly Word[]): Field[][] {
    const choices = words.map((word) => this.expand(word))
    return combinations(choices, mostAlternatives).map((choice) => choice.flat())
  }

  /** The texts that a word can stand for where it is not split: an assigned value, a here-document. */
  texts(word: Word): string[] {
    return this.#guarded([unknown], () => {
      const fields = this.#alternatives(word.parts, false)
      return [...new Set(fields.map((alternative) => alternative.map(({ text }) => text).join(' ')))]
    })
  }

  assign(name: string, values: readonly string[], append = false): void {
    const known = this.#variables.get(name) ?? new Set<string>()
    const added = append ? [...known].flatMap((before) => values.map((value) => before + value)) : []
    for (const value of [...added, ...values]) {
      if (known.size < mostValues) known.add(value.length > longestValue ? unknown : value)
    }
    this.#variables.set(name, known)
  }

  assignList(name: string, alternatives: readonly (readonly Field[])[], append = false): void {
    const before = this.#lists.get(name) ?? []
    const joined = append ? before.flatMap((list) => alternatives.map((more) => [...list, ...more])) : []
    this.#lists.set(name, [...before, ...joined, ...alternatives].slice(0, mostValues))
  }

  /** Runs `fn` where positional parameters are not known. */
  inFunction<T>(fn: () => T): T {
    this.#inFunction++
    try {
      return fn()
    } finally {
      this.#inFunction--
    }
  }

  get isInFunction(): boolean {
    return this.#inFunction > 0
  }

  /** The texts that a script can print; undefined where that is not known. */
  outputs(script: Script): string[] | undefined {
    const [pipeline, ...others] = script.pipelines
    if (!pipeline || others.length > 0) return script.pipelines.length === 0 ? [''] : undefined
    const stages = pipeline.commands.filter((command) => command.type === 'simple')
    if (stages.length !== pipeline.commands.length) return undefined
    return this.pipelineOutputs(stages)
  }

  /** The texts that the commands of a pipeline can print. */
  pipelineOutputs(stages: readonly SimpleCommand[]): string[] | undefined {
    return this.#guarded(undefined, () => {
      const [first, ...filters] = stages
      let texts = first && this.#printed(first)
      for (const stage of filters) {
        const [fields] = this.expandAll(stage.words)
        const [name, ...args] = (fields ?? []).map(({ text }) => text)
        if (!texts || name === undefined || stage.redirects.length > 0) return undefined
        // Whatever picks among process ids leaves process ids.
        const next = texts.map((text) => (text === processIds ? text : filtered(baseName(name), args, text)))
        if (next.includes(undefined)) return undefined
        texts = next.filter((text) => text !== undefined)
      }
      return texts
    })
  }

  /** The text that redirections give a command to read; undefined where there is none. */
  inputTexts(command: SimpleCommand): string[] | undefined {
    const given = command.redirects.findLast(({ operator }) => ['<', '<<', '<<<', '<>'].includes(operator))
    if (!given) return undefined
    if (given.operator === '<<') return this.texts(given.target)
    if (given.operator === '<<<') return this.texts(given.target).map((text) => `${text}\n`)
    const [source] = given.target.parts
    if (source?.type === 'process') return this.outputs(source.script) ?? [unknown]
    return [unknown]
  }

  #printed(command: SimpleCommand): string[] | undefined {
    const all = this.expandAll(command.words).flatMap((fields) => {
      const [name = '', ...args] = fields.map(({ text }) => text)
      switch (baseName(name)) {
        case 'echo':
          return echoed(args)
        case 'printf':
          return printfed(args)
        case 'which':
          return args.at(-1)
        case 'command':
        case 'type':
          return /^-[vVpP]+$/.test(args[0] ?? '') ? args[1] : undefined
        case 'pwd':
          return [...this.directories]
        case 'mktemp':
          return temporary
        case 'pgrep':
        case 'pidof':
          return processIds
        default:
          return undefined
      }
    })
    if (!all.includes(undefined)) return all.filter((text) => text !== undefined)
    return this.#filteredInput(command)
  }

  /** `cat <<END`, `base64 -d <<< text` */
  #filteredInput(command: SimpleCommand): string[] | undefined {
    const [name, ...args] = (this.expandAll(command.words)[0] ?? []).map(({ text }) => text)
    const input = this.inputTexts(command)
    if (!input || name === undefined) return undefined
    const outputs = input.map((text) => filtered(baseName(name), args, text))
    return outputs.includes(undefined) ? undefined : outputs.filter((text) => text !== undefined)
  }

  #alternatives(parts: readonly WordPart[], split: boolean): Field[][] {
    const choices = parts.map((part, index) => this.#chunks(part, { split, isFirst: index === 0 }))
    return combinations(choices, mostAlternatives).map((choice) => toFields(choice.flat()))
  }

  /** What one part can become; each possibility a list of chunks. */
  #chunks(part: WordPart, { split, isFirst }: { readonly split: boolean; readonly isFirst: boolean }): Chunk[][] {
    switch (part.type) {
      case 'text':
        return [[{ text: isFirst && !part.quoted ? this.#withHome(part.text) : part.text, quoted: part.quoted }]]
      case 'arithmetic':
        return [[{ text: '0', quoted: true }]]
      case 'process':
        return [[{ text: '/dev/fd/63', quoted: true, process: part.script }]]
      case 'command': {
        const outputs = this.outputs(part.script)?.map((text) => text.replace(/\n+$/, '')) ?? [unknown]
        return outputs.map((text) => valueChunks(text, part.quoted || !split))
      }
      case 'parameter': {
        const lists = part.isList && part.operator === '' ? this.#list(part.name) : undefined
        if (lists) return lists.map((list) => listChunks(list, part.quoted))
        return this.#parameter(part).map((text) => valueChunks(text, part.quoted || !split))
      }
    }
  }

  #list(name: string): readonly (readonly Field[])[] | undefined {
    if (name !== '@' && name !== '*') return this.#lists.get(name)
    const given = this.#lists.get('@')
    if (given) return given
    // A command line has no arguments of its own.
    return this.#inFunction > 0 ? undefined : [[]]
  }

  #parameter(part: ParameterPart): string[] {
    const values = this.#values(part.name)
    if (part.isDerived) return this.#derived(values)
    if (part.operator === '') return values ?? [unknown]
    const argument = () => this.texts(part.argument)
    switch (part.operator.replace(':', '')) {
      case '-':
        return values && !values.includes('') ? values : [...(values ?? [unknown]), ...argument()]
      case '=':
        this.assign(part.name, argument())
        return [...(values ?? [unknown]), ...argument()]
      case '+':
        return ['', ...argument()]
      case '?':
        return values ?? [unknown]
      default: {
        const changes = argument()
        return (values ?? [unknown]).flatMap((value) => changes.map((text) => changedValue(value, part.operator, text)))
      }
    }
  }

  /** `${!name}`: the value of the variable that it names. */
  #derived(names: readonly string[] | undefined): string[] {
    return (names ?? [unknown]).flatMap((name) => this.#values(name) ?? [unknown])
  }

  #values(name: string): string[] | undefined {
    const assigned = this.#variables.get(name)
    if (assigned) return [...assigned]
    const list = this.#lists.get(name)
    if (list) return list.map((fields) => fields[0]?.text ?? '')
    if (/^[1-9@*]/.test(name)) return this.#inFunction > 0 || this.#lists.has('@') ? undefined : ['']
    if (/^[#?$!]$/.test(name)) return ['0']
    return this.#predefined(name)
  }

  #predefined(name: string): string[] | undefined {
    switch (name) {
      case 'HOME':
        return [this.surroundings.userHome]
      case 'HERMES_HOME':
        return [this.surroundings.hermesHome]
      case 'PWD':
        return [...this.directories]
      case 'PPID':
        return [processIds]
      case 'IFS':
        return [' ']
      case 'SHELL':
      case 'BASH':
        return ['/bin/bash']
      case '0':
        // `bash -c text name` gives it any value.
        return this.#inFunction > 0 ? undefined : ['/bin/bash']
      default:
        return undefined
    }
  }

  #withHome(text: string): string {
    const user = /^~([^/]*)/.exec(text)
    if (!user) return text
    const rest = text.slice(user[0].length)
    if (user[1] === '') return this.surroundings.userHome + rest
    if (user[1] === '+') return this.surroundings.cwd + rest
    return (user[1] === 'root' ? '/root' : `/home/${user[1]}`) + rest
  }

  #guarded<T>(tooDeep: T, fn: () => T): T {
    if (this.#depth >= maxDepth) return tooDeep
    this.#depth++
    try {
      return fn()
    } finally {
      this.#depth--
    }
  }
}

/** A program's name without its folder. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function valueChunks(text: string, whole: boolean): Chunk[] {
  if (whole) return [{ text, quoted: true }]
  const words = text.split(/[ \t\n]+/)
  return words.flatMap((word, index): Chunk[] => {
    const chunk: Chunk[] = word === '' ? [] : [{ text: word, quoted: false }]
    return index > 0 ? [wordBorder, ...chunk] : chunk
  })
}

function listChunks(list: readonly Field[], quoted: boolean): Chunk[] {
  return list.flatMap((item, index): Chunk[] => {
    const chunks = valueChunks(item.text, quoted)
    return index > 0 ? [wordBorder, ...chunks] : chunks
  })
}

function toFields(chunks: readonly Chunk[]): Field[] {
  const fields: Field[] = []
  let current: { text: string; isOpen: boolean; isGlob: boolean; process?: Script } | undefined
  for (const chunk of chunks) {
    if (chunk.text === undefined) {
      if (current) fields.push(current)
      current = undefined
      continue
    }
    current ??= { ...field('') }
    current.text += chunk.text
    if (chunk.process) current.process = chunk.process
    if (chunk.quoted) continue
    current.isOpen ||= chunk.text.includes(unknown)
    current.isGlob ||= /[*?[]/.test(chunk.text)
  }
  if (current) fields.push(current)
  return fields
}
