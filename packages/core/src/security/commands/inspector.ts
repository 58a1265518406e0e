import { resolve } from 'node:path'
import { collectAssignments } from './assignments.ts'
import { codeOf, shells } from './code.ts'
import { isEnvironmentSetup } from './environment-setup.ts'
import { givesOutFound, findsCredentials } from './credential-search.ts'
import { type Field, field as fieldOf, isDynamic, isKnown } from './fields.ts'
import { fileEffects } from './file-effects.ts'
import { isInterpreter } from './interpreters.ts'
import { freshScript } from './fresh-script.ts'
import type { Input, Invocation, InvocationRedirect } from './invocation.ts'
import { bodiesOf, type NestedScript, scriptsIn, wordsOf } from './nested-scripts.ts'
import { parseCommandLine, parseSubstitutions } from './parser.ts'
import type { NamedFile } from './path-check.ts'
import { MadeFiles, isForeign, scriptFiles } from './made-files.ts'
import { programName } from './program-name.ts'
import { deleters } from './rules/deletion.ts'
import { isForkBomb } from './rules/fork-bomb.ts'
import { rules } from './rules/registry.ts'
import { baseName, ShellValues } from './shell-values.ts'
import { declared, substitutedAsArithmetic } from './subscripts.ts'
import { type Command, CommandSyntaxError, type Script, type SimpleCommand, type Word } from './syntax.ts'
import { changedProgram, hasLiveSubscript, variableEffects } from './variable-effects.ts'
import type { Wrapped } from './wrapped.ts'
import { unwrap } from './wrappers.ts'

const maxDepth = 12
const maxCalls = 2000
/** Most characters parsed, nested texts included. */
const maxParsed = 1_000_000
/** Most stages of a pipeline that are looked at together. */
const longestPipeline = 50
const noInput: Input = { from: 'none', pipe: [] }

/** Keys for what cannot be judged, so that a person must. */
export const unjudged = {
  syntax: 'command that cannot be parsed',
  dynamic: 'command that is only known when it runs',
  complexity: 'command that is too complex to judge',
  hidden: 'hidden characters',
} as const

/** The keys of `unjudged`. */
export const unjudgedKeys: ReadonlySet<string> = new Set(Object.values(unjudged))

/** Script files that are looked into for one command line. */
const mostScripts = 20

/** Programs that run another for what they find. */
const finders: ReadonlyMap<string, 'xargs' | 'find'> = new Map([
  ['xargs', 'xargs'],
  ['parallel', 'xargs'],
  ['find', 'find'],
  ['fd', 'find'],
  ['fdfind', 'find'],
])

/** A function runs its arguments from the `first` (from 1) on, and then `rest`. */
interface RunArguments {
  readonly first: number
  readonly rest: readonly Field[]
}

/** Ways to run its arguments that are followed of one function. */
const mostRuns = 8

/** Where a command stands. */
interface Place {
  readonly input: Input
  readonly background: boolean
  /** The program that finds the files which this one is run for. */
  readonly finder?: 'xargs' | 'find'
  /** Whether those may be files with credentials. */
  readonly findsCredentials?: boolean
}

/** Walks a command line with everything that is run inside it, and gathers what is dangerous. */
export class Inspector {
  /** What was found. */
  readonly keys = new Set<string>()
  readonly writes: NamedFile[] = []
  readonly reads: NamedFile[] = []
  readonly #values: ShellValues
  /** Functions of the command line, with what they run of their arguments. */
  readonly #functions = new Map<string, readonly RunArguments[]>()
  readonly #inside: string[] = []
  readonly #made = new MadeFiles()
  /** Scripts that were looked into, of all the lines and scripts that lead to one another. */
  readonly #ran: Set<string>
  #recording: Invocation[] = []
  #calls = 0
  #parsed = 0
  #depth = 0

  constructor(values: ShellValues, ran: Set<string> = new Set()) {
    this.#values = values
    this.#ran = ran
  }

  /** Inspects a text that a shell would read. */
  text(text: string, place: Place = { input: noInput, background: false }): void {
    this.#parsing(text, () => {
      const script = parseCommandLine(text)
      collectAssignments(script, this.#values)
      this.#script(script, place)
    })
  }

  /** Inspects a text in which a shell performs substitutions when it comes to use it. */
  #substituted(text: string): void {
    this.#parsing(text, () => {
      for (const { script } of scriptsIn(parseSubstitutions(text))) {
        this.#script(script, { input: noInput, background: false })
      }
    })
  }

  #parsing(text: string, inspect: () => void): void {
    this.#parsed += text.length
    if (this.#depth >= maxDepth || this.#parsed > maxParsed) return this.#found(unjudged.complexity)
    this.#depth++
    try {
      inspect()
    } catch (error) {
      if (!(error instanceof CommandSyntaxError)) throw error
      this.#found(unjudged.syntax)
    } finally {
      this.#depth--
    }
  }

  #script(script: Script, place: Place): void {
    for (const { commands, background } of script.pipelines) {
      if (this.#calls > maxCalls) return
      this.#pipeline(commands, { ...place, background: place.background || background })
    }
  }

  #pipeline(commands: readonly Command[], place: Place): void {
    const before: Invocation[] = []
    for (const [index, command] of commands.entries()) {
      if (this.#calls > maxCalls) return
      const stages = commands.slice(0, index)
      const inputs = index === 0 ? [place.input] : this.#pipeInputs(stages, before)
      const calls = this.#recorded(() => {
        for (const input of inputs) this.#command(command, { ...place, input }, commands.slice(0, index + 1))
      })
      before.push(...calls)
    }
  }

  #pipeInputs(stages: readonly Command[], pipe: readonly Invocation[]): Input[] {
    const outputs = this.#outputsOf(stages)
    const calls = [...pipe.filter(isForeign).slice(0, longestPipeline), ...pipe.slice(-longestPipeline)]
    if (!outputs) return [{ from: 'pipe', pipe: calls }]
    return outputs.slice(0, 4).map((text) => ({ from: 'pipe', text, pipe: calls }))
  }

  /** What the stages of a pipeline print, where that is known. */
  #outputsOf(stages: readonly Command[]): string[] | undefined {
    const simple = stages.filter((stage) => stage.type === 'simple')
    if (simple.length < stages.length || stages.length > longestPipeline) return undefined
    return this.#values.pipelineOutputs(simple)
  }

  /** The calls that `fn` meets. */
  #recorded(fn: () => void): Invocation[] {
    const outer = this.#recording
    this.#recording = []
    try {
      fn()
      return this.#recording
    } finally {
      outer.push(...this.#recording)
      this.#recording = outer
    }
  }

  /** `stages`: the pipeline up to and with this command. */
  #command(command: Command, place: Place, stages: readonly Command[]): void {
    if (command.type === 'function') return this.#function(command, place)
    const redirected = 'redirects' in command ? this.#redirectedInput(command) : undefined
    const inputs = redirected ?? [place.input]
    const calls = this.#recorded(() => {
      for (const input of inputs) {
        if (command.type === 'simple') this.#simple(command, { ...place, input })
        else for (const body of bodiesOf(command)) this.#script(body, { ...place, input })
      }
    })
    this.#words(command, calls)
    for (const word of wordsOf(command)) this.#reevaluated(word)
    if (command.type === 'test' || command.type === 'loop') {
      for (const word of command.words ?? []) this.#arithmetic(word)
    }
    if ('redirects' in command) this.#outputs(command, calls, stages)
  }

  #function(command: Extract<Command, { type: 'function' }>, place: Place): void {
    if (isForkBomb(command)) this.#found('fork bomb')
    this.#functions.set(command.name, this.#functions.get(command.name) ?? [])
    this.#inside.push(command.name)
    this.#values.inFunction(() => {
      for (const body of bodiesOf(command)) this.#script(body, { ...place, input: noInput })
    })
    this.#inside.pop()
  }

  /** What runs when the words of a command are expanded. */
  #words(command: Command, calls: readonly Invocation[]): void {
    const isSetup = command.type === 'simple' && isEnvironmentSetup(command)
    for (const { script, kind } of wordsOf(command).flatMap(scriptsIn)) {
      if (isSetup) continue
      const input: Input = kind === 'process-output' ? { from: 'pipe', pipe: calls } : noInput
      const inner = this.#recorded(() => this.#script(script, { input, background: false }))
      if (inner.some(findsCredentials) && calls.some(givesOutFound)) this.#found('read of credentials')
    }
  }

  /** What a shell evaluates once more in a word: prompts as `${name@P}`, subscripts and other arithmetic. */
  #reevaluated(word: Word): void {
    for (const part of word.parts) {
      if (part.type === 'arithmetic') {
        this.#arithmetic(part.word)
        this.#reevaluated(part.word)
      }
      if (part.type !== 'parameter') continue
      this.#reevaluated(part.argument)
      this.#reevaluated(part.subscript)
      this.#arithmetic(part.subscript)
      if (part.operator === ':') this.#arithmetic(part.argument)
      if (part.operator !== '@' || !this.#values.texts(part.argument).some((text) => /P|[^A-Za-z]/.test(text))) continue
      for (const text of this.#values.texts({ parts: [{ ...part, operator: '', argument: { parts: [] } }] })) {
        if (isDynamic(text)) this.#found(unjudged.dynamic)
        this.#substituted(text)
      }
    }
  }

  #arithmetic(word: Word): void {
    for (const text of this.#values.texts(word)) if (hasLiveSubscript(text)) this.#substituted(text)
  }

  /** What redirections give a command to read; undefined where they give nothing. */
  #redirectedInput(command: Exclude<Command, { type: 'function' }>): Input[] | undefined {
    const given = command.redirects.findLast(({ operator }) => ['<', '<<', '<<<', '<>'].includes(operator))
    if (!given) return undefined
    const nested = scriptsIn(given.target).find(({ kind }: NestedScript) => kind === 'process-input')
    if (given.operator === '<' && nested) {
      const pipe = this.#recorded(() => this.#script(nested.script, { input: noInput, background: false }))
      const outputs = this.#values.outputs(nested.script)
      return outputs ? outputs.map((text) => ({ from: 'pipe', text, pipe })) : [{ from: 'pipe', pipe }]
    }
    if (given.operator === '<' || given.operator === '<>') return [{ from: 'file', pipe: [] }]
    return this.#values.texts(given.target).map((text) => ({ from: 'text', text, pipe: [] }))
  }

  /** Files that redirections write and read. */
  #outputs(
    command: Exclude<Command, { type: 'function' }>,
    calls: readonly Invocation[],
    stages: readonly Command[],
  ): void {
    for (const { operator, target } of command.redirects) {
      if (operator === '<<' || operator === '<<<' || operator === '<&') continue
      for (const field of this.#values.expand(target).flat()) {
        if (operator === '>&' && /^(?:\d+-?|-)$/.test(field.text)) continue
        if (field.process) continue
        if (operator === '<') this.reads.push(this.#named(field))
        else this.#wrote(field, calls, stages)
      }
    }
  }

  #wrote(field: Field, calls: readonly Invocation[], stages: readonly Command[]): void {
    this.writes.push(this.#named(field))
    this.#made.redirected(baseName(field.text), [...calls, ...this.#recording], this.#outputsOf(stages))
  }

  #simple(command: SimpleCommand, place: Place): void {
    for (const { name, values } of command.assignments) {
      for (const text of values.flatMap((word) => this.#values.texts(word))) this.#assigned(name, text)
      if (name === 'ENV' && this.#values.expandAll(command.words).some(startsShell)) this.#found(changedProgram)
    }
    if (isEnvironmentSetup(command)) return
    const alternatives = this.#values.expandAll(command.words)
    const redirects: InvocationRedirect[] = command.redirects.flatMap(({ operator, target }) =>
      this.#values.expand(target).flatMap((fields) => fields.map((field) => ({ operator, target: field }))),
    )
    const runsArguments = this.#runsArguments(command)
    for (const fields of alternatives) {
      const [program] = fields
      if (runsArguments && program && programName(program) === undefined) continue
      this.#call(fields, { ...place, redirects })
    }
  }

  /** `"$@"` as a command: what it runs is known where the function is called. */
  #runsArguments(command: SimpleCommand): boolean {
    const current = this.#inside.at(-1)
    const [part] = command.words[0]?.parts.filter((each) => each.type !== 'text' || each.text !== '') ?? []
    if (current === undefined || part?.type !== 'parameter' || !/^[@*]$|^\d+$/.test(part.name)) return false
    const first = /^\d+$/.test(part.name) ? Math.max(1, Number(part.name)) : 1
    const rest = this.#values.expandAll(command.words.slice(1))[0] ?? []
    const known = this.#functions.get(current) ?? []
    if (known.length < mostRuns) this.#functions.set(current, [...known, { first, rest }])
    return true
  }

  /** Variables whose value is a command that some program runs, or that change what Hermes may do. */
  #assigned(name: string, text: string): void {
    if (name === 'HERMES_YOLO_MODE' && text !== '') this.#found('change of the rules of consent')
    if (
      /^(?:LD_PRELOAD|LD_AUDIT|BASH_ENV|ENV|PYTHONSTARTUP|PERL5OPT|NODE_OPTIONS)$/.test(name) &&
      this.#made.isForeign(baseName(text))
    ) {
      this.#found('execute downloaded file')
    }
    const { texts, evaluated, dangers } = variableEffects(name, text, this.#values.surroundings.userHome)
    for (const key of dangers) this.#found(key)
    for (const each of texts) this.text(each)
    for (const each of evaluated) this.#substituted(each)
  }

  #call(fields: readonly Field[], place: Place & { readonly redirects: readonly InvocationRedirect[] }): void {
    const [program, ...args] = fields
    if (!program || (program.text === '' && !program.isOpen)) return
    if (++this.#calls > maxCalls || this.#depth >= maxDepth) return this.#found(unjudged.complexity)
    const name = programName(program)
    if (name === undefined) return this.#found(unjudged.dynamic)
    const directories = [...this.#values.directories]
    const { input, background, redirects } = place
    const call: Invocation = { name, program: program.text, args, redirects, input, background, directories }
    this.#recording.push(call)
    for (const rule of rules) for (const key of rule(call)) this.#found(key)
    if (place.finder && deleters.has(name)) this.#found(place.finder === 'xargs' ? 'xargs with rm' : 'find -exec rm')
    if (place.findsCredentials || input.pipe.some(findsCredentials)) {
      if (givesOutFound(call)) this.#found('read of credentials')
    }
    for (const [variable, value] of declared(call)) this.#assigned(variable, value)
    for (const text of substitutedAsArithmetic(call, this.#functions.has(name))) this.#substituted(text)
    this.#files(call)
    this.#runsFile(call)
    for (const { first, rest } of this.#functions.get(name) ?? []) {
      this.#deeper([...args.slice(first - 1), ...rest], place)
    }
    const code = codeOf(call)
    for (const key of code.dangers) this.#found(key)
    for (const wrapped of [...code.texts, ...unwrap(call)]) this.#wrapped(wrapped, call, place)
  }

  /** A call that another one makes. */
  #deeper(fields: readonly Field[], place: Place & { readonly redirects: readonly InvocationRedirect[] }): void {
    this.#depth++
    this.#call(fields, place)
    this.#depth--
  }

  #wrapped(wrapped: Wrapped, call: Invocation, { finder, findsCredentials: found }: Place): void {
    if (wrapped.type === 'setting') return this.#assigned(wrapped.name, wrapped.value)
    const place = {
      input: call.input,
      background: call.background || call.name === 'nohup' || call.name === 'setsid',
      finder: finders.get(call.name) ?? finder,
      findsCredentials: found === true || findsCredentials(call),
    }
    if (wrapped.type === 'call') return this.#deeper(wrapped.fields, { ...place, redirects: call.redirects })
    if (wrapped.strict && isDynamic(wrapped.text)) {
      this.#found(shells.has(call.name) ? 'shell command via -c/-lc flag' : unjudged.dynamic)
    }
    // A text that others give arguments to; what an outer shell reads is read by the inner one.
    this.#values.inFunction(() => this.text(wrapped.text, place))
  }

  #files(call: Invocation): void {
    const effects = fileEffects(call)
    this.writes.push(...effects.writes.map((field) => this.#named(field)))
    this.reads.push(...effects.reads.map((field) => this.#named(field)))
    this.#made.written(call, effects.writes)
  }

  /** Running a file that the same command line made. */
  #runsFile(call: Invocation): void {
    const isScript = shells.has(call.name) || isInterpreter(call.name) || call.name === 'source' || call.name === '.'
    if (!isScript && !call.program.includes('/') && isKnown(call.program)) return
    for (const field of isScript ? scriptFiles(call) : [fieldOf(call.program)]) {
      const file = baseName(field.text)
      if (this.#made.isForeign(file)) this.#found('execute downloaded file')
      if (!isScript && this.#made.isExecutable(file)) this.#found('chmod +x followed by immediate execution')
      const text = isInterpreter(call.name) ? undefined : this.#made.takeScript(file)
      if (text !== undefined) this.#values.inFunction(() => this.text(text))
      else if (!isInterpreter(call.name) && isKnown(field.text)) this.#freshScript(field.text, call)
    }
  }

  /**
   * A shell script on the disk that is new there: who is not allowed a command cannot write it to a file and run that.
   * What cannot be judged of it counts for nothing, since build scripts of all kinds are full of it.
   */
  #freshScript(name: string, { directories }: Invocation): void {
    for (const directory of directories) {
      const path = resolve(directory, name)
      if (this.#ran.has(path) || this.#ran.size >= mostScripts) continue
      this.#ran.add(path)
      const text = freshScript(path)
      if (text === undefined) continue
      const values = new ShellValues({ ...this.#values.surroundings, cwd: directory })
      const inner = new Inspector(values, this.#ran)
      values.inFunction(() => inner.text(text))
      const found = [...inner.keys].filter((key) => !unjudgedKeys.has(key))
      // Nobody sees what the script does in the line that runs it: the person decides, and no model.
      for (const key of found.length > 0 ? [...found, 'dangerous command in a script'] : []) this.#found(key)
      this.writes.push(...inner.writes)
      this.reads.push(...inner.reads)
    }
  }

  #named(field: Field): NamedFile {
    return { field, directories: [...this.#values.directories] }
  }

  #found(key: string): void {
    this.keys.add(key)
  }
}

/** Whether a shell is started that reads the file which `ENV` names: one that is no bash, and is given no script. */
function startsShell([program, ...args]: readonly Field[]): boolean {
  const isSuch = program !== undefined && /^(?:sh|d?ash|rk?sh|m?ksh\d*|yash)$/.test(programName(program) ?? '')
  return isSuch && (args.every(({ text }) => text.startsWith('-')) || args.some(({ text }) => /^-[a-z]*i/.test(text)))
}
