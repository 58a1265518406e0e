/** A command line as the shell sees it before it runs anything. Offsets are into the parsed text. */
export interface Script {
  readonly pipelines: readonly Pipeline[]
}

/** Commands joined by `|`, or one alone. */
export interface Pipeline {
  readonly commands: readonly Command[]
  /** Ends with `&`. */
  readonly background: boolean
}

export type Command =
  | SimpleCommand
  /** `( … )`, `{ …; }` */
  | { readonly type: 'group'; readonly body: Script; readonly redirects: readonly Redirect[] }
  /** `if`, `while`, `until`: conditions and branches alike. */
  | { readonly type: 'branches'; readonly scripts: readonly Script[]; readonly redirects: readonly Redirect[] }
  /** `for`, `select`. Without words: over the positional parameters. */
  | {
      readonly type: 'loop'
      readonly variable: string | undefined
      readonly words: readonly Word[] | undefined
      readonly body: Script
      readonly redirects: readonly Redirect[]
    }
  | {
      readonly type: 'case'
      readonly words: readonly Word[]
      readonly scripts: readonly Script[]
      readonly redirects: readonly Redirect[]
    }
  | { readonly type: 'function'; readonly name: string; readonly body: Command }
  /** `[[ … ]]`, `(( … ))`: nothing runs but what its words substitute. */
  | { readonly type: 'test'; readonly words: readonly Word[]; readonly redirects: readonly Redirect[] }

export interface SimpleCommand {
  readonly type: 'simple'
  readonly assignments: readonly Assignment[]
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
  readonly start: number
}

export interface Assignment {
  readonly name: string
  /** `name[…]=` */
  readonly subscript: Word
  /** `+=` */
  readonly append: boolean
  /** One word, or the words of an array. */
  readonly values: readonly Word[]
}

export interface Redirect {
  readonly operator: RedirectOperator
  /** The file or descriptor; of `<<` and `<<<` the text itself. */
  readonly target: Word
}

export type RedirectOperator = '<' | '>' | '>>' | '>|' | '<>' | '&>' | '&>>' | '<&' | '>&' | '<<' | '<<<'

export interface Word {
  readonly parts: readonly WordPart[]
}

/** `quoted`: neither split into words nor matched against file names. */
export type WordPart =
  | { readonly type: 'text'; readonly text: string; readonly quoted: boolean }
  | ParameterPart
  /** `$(…)` and backquotes. */
  | { readonly type: 'command'; readonly script: Script; readonly quoted: boolean }
  /** `<(…)`, `>(…)` */
  | { readonly type: 'process'; readonly script: Script; readonly direction: '<' | '>' }
  /** `$((…))`; what it substitutes in turn. */
  | { readonly type: 'arithmetic'; readonly word: Word }

export interface ParameterPart {
  readonly type: 'parameter'
  /** A name, a number, or one of `@*#?-$!_`. */
  readonly name: string
  /** What comes after the name, e.g. `:-`, `%%`; empty for the plain value. */
  readonly operator: string
  readonly argument: Word
  /** `${name[…]}` */
  readonly subscript: Word
  /** `${!name}` and `${#name}`: not the value itself. */
  readonly isDerived: boolean
  /** `${name[@]}` */
  readonly isList: boolean
  readonly quoted: boolean
}

/** The text is no command line that this parser knows. */
export class CommandSyntaxError extends Error {
  override readonly name = 'CommandSyntaxError'
  /** Reading it in another way is no use: what bash makes of it is not certain. */
  readonly isFinal: boolean

  constructor(message: string, { isFinal = false } = {}) {
    super(message)
    this.isFinal = isFinal
  }
}
