import type { Code } from './code.ts'
import type { Invocation } from './invocation.ts'
import { type NamedOptions, optionValues } from './option-values.ts'
import { changedProgram } from './variable-effects.ts'

/** The toldToRun of commands in the options of a program that is no shell. */
export const toldToRun = 'program that is told to run commands'
const nothing: Code = { texts: [], dangers: [] }

/** Programs with options whose value is a text for a shell. */
const textOptions: Readonly<Record<string, NamedOptions>> = {
  zip: { letters: '', long: ['unzip-command'] },
  tcpdump: { letters: 'z', long: [] },
  split: { letters: '', long: ['filter'] },
  man: { letters: 'PH', long: ['pager', 'html'] },
  rsync: { letters: 'e', long: ['rsh', 'rsync-path'] },
  compgen: { letters: 'C', long: [] },
  complete: { letters: 'C', long: [] },
  mapfile: { letters: 'C', long: [] },
  readarray: { letters: 'C', long: [] },
  tar: {
    letters: 'IF',
    long: ['to-command', 'use-compress-program', 'rsh-command', 'new-volume-script', 'info-script'],
  },
}

/** Code that programs which are no shells are told to run, in their arguments or their input. */
export function toldCode(call: Invocation): Code {
  const { name, args } = call
  switch (name) {
    case 'hash':
      return danger(changedProgram, has(call, /^-[A-Za-z]*p/))
    case 'enable':
      return danger(changedProgram, has(call, /^-[A-Za-z]*f/))
    case 'sort':
      return danger(toldToRun, optionValues(args, { letters: '', long: ['compress-program'] }).some(isNoCompressor))
    case 'dc':
      return danger(toldToRun, has(call, /!(?![<=>])/) || (call.input.text ?? '').includes('!'))
    case 'run-parts':
      return danger(toldToRun, !has(call, /^--(?:test|list|help|version)$/))
    case 'emacs':
      return danger(toldToRun, has(call, /^--?(?:eval|execute|load|l|script|f|funcall)(?:=|$)/))
    case 'bind':
      return ofTexts(args.map(({ text }) => /^[^:]*:\s*"?([^]*?)(?:\\C-[mj])?"?$/.exec(text)?.[1]))
    case 'less':
    case 'more':
    case 'most':
      return ofTexts(args.map(({ text }) => /^\+[^!]*!([^]*)$/.exec(text)?.[1]))
    case 'ed':
    case 'red':
      return ofLineEditor(call)
    case 'gdb':
    case 'lldb':
      return ofDebugger(call)
    default:
  }
  if (/^(?:psql|mysql|mariadb|sqlite3?|duckdb)$/.test(name)) return ofDatabase(call)
  const archiver = name === 'bsdtar' || name === 'gtar' ? 'tar' : name
  const options = Object.hasOwn(textOptions, archiver) ? textOptions[archiver] : undefined
  if (!options) return nothing
  const values = optionValues(args, options)
  // The options of a remote shell may well be unknown: rsync starts it without another one.
  if (archiver !== 'tar') return ofTexts(values, name !== 'rsync')
  const actions = optionValues(args, { letters: '', long: ['checkpoint-action'] })
  return ofTexts([...values, ...actions.map((action) => /^exec=([^]*)$/.exec(action)?.[1])])
}

function isNoCompressor(program: string): boolean {
  return !/^(?:gzip|pigz|bzip2|pbzip2|xz|lzma|zstd|lz4|lzop)$/.test(program)
}

function ofTexts(texts: readonly (string | undefined)[], strict = true): Code {
  return {
    texts: texts.flatMap((text) => (text === undefined ? [] : [{ type: 'text', text, strict }])),
    dangers: [],
  }
}

function danger(found: string, condition: boolean): Code {
  return condition ? { texts: [], dangers: [found] } : nothing
}

function has({ args }: Invocation, pattern: RegExp): boolean {
  return args.some(({ text }) => pattern.test(text))
}

/** `!text` on a line, also after a command that reads from it or writes to it. */
function ofLineEditor({ input }: Invocation): Code {
  if (input.from === 'none' || input.from === 'agent') return nothing
  if (input.text === undefined) return danger(toldToRun, true)
  return ofTexts(input.text.split('\n').map((line) => /!([^]*)$/.exec(line)?.[1]))
}

/** `-ex 'shell text'`, `-x file` */
function ofDebugger({ name, args }: Invocation): Code {
  const given = args.map(({ text }) => text)
  const border = given.indexOf('--args')
  const options = border === -1 ? given : given.slice(0, border)
  const isFile =
    name === 'gdb' ? /^--?(?:x|ix|command|init-command)(?:=|$)/ : /^(?:-[sS]|--source(?:-before-file)?(?:=.*)?)$/
  const shell = /^(?:shell|!|platform\s+shell)\s*([^]*)$/
  const takesCommand = /^--?(?:i?ex|(?:init-)?eval-command|[oOkK]|one-line(?:-[a-z-]+)?)$/
  const commands = options.flatMap((text, index) => {
    const [option = '', ...value] = text.split('=')
    if (takesCommand.test(options[index - 1] ?? '')) return [text.trim()]
    return takesCommand.test(option) ? [value.join('=').trim()] : []
  })
  const texts = commands.map((text) => shell.exec(text)?.[1])
  const runs =
    options.some((text) => isFile.test(text)) ||
    commands.some((text) =>
      /^(?:py|python|pi|python-interactive|gu|guile|source|pipe|script|command\s|compile|make)\b|^\||^(?:call|print|p|expr|expression|output)\b.*\(/.test(
        text,
      ),
    )
  return { ...ofTexts(texts), dangers: runs ? [toldToRun] : [] }
}

/** `.shell text`, `\! text`, `COPY … TO PROGRAM`, and files or extensions that a client loads. */
function ofDatabase({ name, args, input }: Invocation): Code {
  const text = [...args.map((arg) => arg.text), input.text ?? ''].join('\n')
  const escapes = /^sqlite|^duckdb/.test(name)
    ? /^[ \t]*\.(?:sh|she|shel|shell|sy\w*)\s+(.*)$|^[ \t]*\.(?:read|re\w*|import|im\w*|output|o\w*|once|on\w*)\s+["']?\|(.*?)["']?$/gm
    : /\\!\s*(.*)$|^[ \t]*system[ \t]+(.*)$|\\(?:o|g|gx|w|copy)\b[^\n|\\]*\|(.*)$/gm
  const texts = [...text.matchAll(escapes)].map((found) => found.slice(1).find((group) => group !== undefined))
  const loads =
    /^[ \t]*\.(?:load|lo\w*|excel|www)\b/m.test(text) ||
    /\bload_extension\s*\(|\bedit\s*\(|\b(?:to|from)\s+program\b|\binto\s+(?:out|dump)file\b/i.test(text)
  const pipes = /^[ \t]*\.(?:o\w*|im\w*|re\w*)[ \t][^\n|]*\|/m.test(text)
  return { ...ofTexts(texts), dangers: loads || (pipes && name.startsWith('sqlite')) ? [toldToRun] : [] }
}
