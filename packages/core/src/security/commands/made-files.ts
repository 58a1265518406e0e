import { isDownloader } from './code.ts'
import type { Field } from './fields.ts'
import type { Invocation } from './invocation.ts'
import { isDecoder } from './printing.ts'
import { baseName } from './shell-values.ts'

/** Files that a command line makes, by their names: a later part of it may run them. */
export class MadeFiles {
  readonly #executable = new Set<string>()
  /** Got from elsewhere, or decoded. */
  readonly #foreign = new Set<string>()
  /** Written with a known text. */
  readonly #texts = new Map<string, string>()

  isForeign(name: string): boolean {
    return this.#foreign.has(name)
  }

  isExecutable(name: string): boolean {
    return this.#executable.has(name)
  }

  /** The text of a file as a shell would run it, once; undefined where it is not known, or is for no shell. */
  takeScript(name: string): string | undefined {
    const text = this.#texts.get(name)
    if (text === undefined || !isForShell(text)) return undefined
    this.#texts.delete(name)
    return text
  }

  /** A file gets what `calls` give out, which are `outputs` where that is known. */
  redirected(name: string, calls: readonly Invocation[], outputs: readonly string[] | undefined): void {
    if (calls.some(isForeign)) this.#foreign.add(name)
    if (outputs) this.#texts.set(name, `${this.#texts.get(name) ?? ''}${outputs.join('\n')}`)
  }

  /** A call writes files itself. */
  written(call: Invocation, files: readonly Field[]): void {
    const { name, args, input } = call
    const names = files.map(({ text }) => baseName(text))
    const isCopyOfForeign = name === 'tee' && input.pipe.some(isForeign)
    if (isForeign(call) || isCopyOfForeign) for (const each of names) this.#foreign.add(each)
    if (name === 'tee' && input.text !== undefined) for (const each of names) this.#texts.set(each, input.text)
    if (name === 'curl' || name === 'wget') {
      for (const { text } of args) {
        if (/^[a-z]+:\/\//i.test(text)) this.#foreign.add(baseName(text.replace(/[?#].*$/, '')))
      }
    }
    if (name === 'chmod' && args.some(({ text }) => /^[ugoa]*\+[rwX]*x|^[0-7]*[1357][0-7]{0,2}$/.test(text))) {
      for (const { text } of args.slice(1)) this.#executable.add(baseName(text))
    }
  }
}

/** Whether what a call gives out comes from elsewhere, or was made unreadable on the way. */
export function isForeign(call: Invocation): boolean {
  return (
    isDownloader(call) ||
    isDecoder(
      call.name,
      call.args.map(({ text }) => text),
    )
  )
}

/** Whether a shell would run a script, as its first line says. */
export function isForShell(text: string): boolean {
  return !/^#!(?!.*sh\b)/.test(text)
}

/** The files that a shell or interpreter may take its script from. */
export function scriptFiles({ args, redirects, input }: Invocation): Field[] {
  const operand = args.find(({ text }) => !/^[-+]/.test(text))
  const redirected = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target)
  const shown = input.pipe.filter(({ name }) => name === 'cat').flatMap((cat) => cat.args)
  return [...(operand ? [operand] : []), ...redirected, ...shown].filter(({ text }) => baseName(text) !== '')
}
