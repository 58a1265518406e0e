import { isKnown } from './fields.ts'
import { ofGit } from './git-code.ts'
import { inlineCode, inputCode } from './interpreters.ts'
import type { Invocation } from './invocation.ts'
import { laterInput } from './rules/interactive.ts'
import { isDecoder } from './printing.ts'
import { optionValues } from './option-values.ts'
import { toldCode, toldToRun } from './told-commands.ts'
import { changedProgram } from './variable-effects.ts'
import type { Wrapped } from './wrapped.ts'

/** What a call runs as code, and what is dangerous in that. */
export interface Code {
  readonly texts: readonly Extract<Wrapped, { type: 'text' }>[]
  readonly dangers: readonly string[]
}

export const shells: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'zsh',
  'ksh',
  'ksh93',
  'mksh',
  'dash',
  'ash',
  'fish',
  'csh',
  'tcsh',
  'yash',
  'rbash',
  'rksh',
])
const downloaders: ReadonlySet<string> = new Set([
  'curl',
  'wget',
  'fetch',
  'aria2c',
  'http',
  'https',
  'xh',
  'lynx',
  'w3m',
  'nc',
  'ncat',
  'netcat',
  'socat',
  'ftp',
  'tftp',
  'scp',
  'telnet',
])
/** Longest program of awk or sed that is looked into, characters. */
const longestProgram = 10_000
const nothing: Code = { texts: [], dangers: [] }

/** Code that a call takes from its arguments or its input. */
export function codeOf(call: Invocation): Code {
  const { name, args } = call
  if (shells.has(name)) return ofShell(call)
  if (name === 'eval') return { texts: [strict(args.map(({ text }) => text).join(' '))], dangers: [] }
  if (name === 'source' || name === '.') return isFromInput(args[0]?.text) ? fromInput(call) : fromProcess(call)
  if (name === 'git') return ofGit(call)
  if (/^[gmn]?awk$/.test(name)) return ofAwk(call)
  if (name === 'sed' || name === 'gsed')
    return { texts: [], dangers: runsBySed(call) ? ['sed that runs commands'] : [] }
  if (/^(?:vi|r?vim|gvim|nvim|ex|r?view|vimdiff|gvimdiff)$/.test(name)) return ofEditor(call)
  if (/^g?make$/.test(name)) return ofMake(call)
  if (name === 'ssh' || name === 'scp' || name === 'sftp') return ofConnection(call)
  const inline = inlineCode(call)
  if (inline) return { texts: [], dangers: [inline] }
  return inputCode(call) ? inputToInterpreter(call) : toldCode(call)
}

/** Whether a text that a shell gets was downloaded. */
export function isDownloader({ name }: Invocation): boolean {
  return downloaders.has(name)
}

function strict(text: string): Code['texts'][number] {
  return { type: 'text', text, strict: true }
}

function ofShell(call: Invocation): Code {
  const { args } = call
  for (let index = 0; index < args.length; index++) {
    const text = args[index]?.text ?? ''
    if (/^-[A-Za-z]*c[A-Za-z]*$/.test(text) || text === '--command') {
      const given = args.slice(index + 1).find((arg) => !/^(?:[-+][A-Za-z]|--)/.test(arg.text))
      return given ? { texts: [strict(given.text)], dangers: [] } : nothing
    }
    if (/^-[A-Za-z]*s[A-Za-z]*$/.test(text) || isFromInput(text)) return fromInput(call)
    if (/^[-+][A-Za-z]*[oO]$|^--(?:rcfile|init-file)$/.test(text)) index++
    else if (!/^[-+]/.test(text)) return fromProcess(call)
  }
  return fromInput(call)
}

function isFromInput(text: string | undefined): boolean {
  return text !== undefined && /^(?:-|\/dev\/(?:stdin|fd\/0)|\/proc\/self\/fd\/0)$/.test(text)
}

/** A shell that reads its script from its input. */
function fromInput({ input }: Invocation): Code {
  if (input.from === 'none' || input.from === 'file') return nothing
  if (input.from === 'agent') return { texts: [], dangers: [laterInput] }
  const dangers: string[] = []
  if (input.pipe.some(isDownloader)) dangers.push('pipe remote content to shell')
  if (
    input.pipe.some((call) =>
      isDecoder(
        call.name,
        call.args.map(({ text }) => text),
      ),
    )
  )
    dangers.push('decoded text run by a shell')
  const isFile = input.pipe.length > 0 && input.pipe.every(({ name }) => name === 'cat')
  if (input.text !== undefined && isKnown(input.text)) return { texts: [strict(input.text)], dangers }
  return { texts: [], dangers: dangers.length > 0 || isFile ? dangers : ['generated text run by a shell'] }
}

/** A shell that reads its script from `<(…)`, which is inspected on its own. */
function fromProcess({ args }: Invocation): Code {
  return {
    texts: [],
    dangers: args.some(({ process }) => process) ? ['execute remote script via process substitution'] : [],
  }
}

function inputToInterpreter({ input }: Invocation): Code {
  if (input.from === 'agent') return { texts: [], dangers: [laterInput] }
  if (input.from === 'text') return { texts: [], dangers: ['script execution via heredoc'] }
  if (input.from !== 'pipe') return nothing
  if (input.pipe.some(isDownloader)) return { texts: [], dangers: ['pipe remote content to interpreter'] }
  const isFile = input.pipe.every(({ name }) => name === 'cat')
  return { texts: [], dangers: isFile ? [] : ['generated text run by an interpreter'] }
}

/** `ssh -o ProxyCommand=text`, `ssh -F file`, `scp -S program` */
function ofConnection({ name, args }: Invocation): Code {
  const texts = args.flatMap(({ text }) => /(?:Proxy|Local|KnownHosts)Command[ =](.*)$/is.exec(text)?.[1] ?? [])
  const programs = optionValues(args, { letters: name === 'sftp' ? 'SD' : 'S', long: [] })
  const isOther = name !== 'ssh' && programs.some((program) => !/^(?:\/usr\/bin\/)?ssh$/.test(program))
  const loads = args.some(({ text }) => /\b(?:PKCS11Provider|SecurityKeyProvider)[ =](?!none)/i.test(text))
  return {
    texts: texts.map((text) => ({ type: 'text', text, strict: false })),
    dangers: isOther || loads ? [toldToRun] : [],
  }
}

/** `system("…")`, `print | "…"`, `"…" | getline`. */
function ofAwk({ args }: Invocation): Code {
  const strings: string[] = []
  if (args.some(({ text }) => /^-[fliE]|^--(?:file|load|include|exec)(?:=|$)/.test(text)))
    return { texts: [], dangers: ['awk that runs commands'] }
  const program = args.map(({ text }) => text).join('\n')
  if (program.length > longestProgram) return { texts: [], dangers: ['awk that runs commands'] }
  // Strings out of the way first: what they hold is text, also `|` and `#`.
  const plain = program
    .replace(
      /"((?:[^"\\]|\\[^])*)"/g,
      (_, inside: string) => `<${strings.push(inside.replace(/\\(["\\/])/g, '$1')) - 1}>`,
    )
    .replace(/#[^\n]*/g, '')
  const runs = [
    ...plain.matchAll(
      /\bsystem\s*\(\s*([^)]*)\)|([^\s;{}|]*)\s*\|&?\s*getline|\bprintf?\b[^;}\n|]*\|&?(?!\|)\s*([^;}\n]*)/g,
    ),
  ]
  const texts = runs.map(([, call, source, sink]) => /^<(\d+)>$/.exec((call ?? source ?? sink ?? '').trim())?.[1])
  if (texts.includes(undefined)) return { texts: [], dangers: ['awk that runs commands'] }
  return { texts: texts.map((index) => strict(strings[Number(index)] ?? '')), dangers: [] }
}

/** GNU sed's `e` command and flag, or a script that nobody has looked at. */
function runsBySed({ args }: Invocation): boolean {
  if (args.some(({ text }) => text === '--sandbox')) return false
  if (args.some(({ text }) => /^-[nErsuz]*f|^--file(?:=|$)/.test(text))) return true
  const scripts = args.map(({ text }) => text).filter((text) => !text.startsWith('--'))
  return scripts.some(
    (text) =>
      (/(?:^|[;{\n])\s*(?:\d+|\$|\/[^/]*\/)?\s*e(?:\s+\S|$)/.test(text) && text !== 'e') ||
      /(?:^|[;{\n\d$/])\s*s([^\w\s\\])(?:\\.|(?!\1)[^\n])*\1(?:\\.|(?!\1)[^\n])*\1[gpiImM0-9]*e/.test(text),
  )
}

/** Variables of make whose value is a program that its rules run. */
const makePrograms = /^(?:CC|CXX|CPP|LD|AR|AS|RM|FC|LEX|YACC|MAKE|INSTALL|\.SHELLFLAGS)$/

/** `make -f -`, `make --eval text`, `make SHELL=program CC=program` */
function ofMake({ args }: Invocation): Code {
  const reads = args.some(
    ({ text }, index) =>
      /^--eval|^--(?:make)?file=-$|^-f-$/.test(text) || (text === '-f' && args[index + 1]?.text === '-'),
  )
  const settings = args.flatMap(({ text }) => {
    const [, name, value] = /^(\.?[A-Za-z_]\w*)[:?+]?=([^]*)$/.exec(text) ?? []
    return name === undefined || value === undefined ? [] : [{ name, value }]
  })
  const isOtherShell = settings.some(
    ({ name, value }) => name === 'SHELL' && !/^(?:\/(?:usr\/)?bin\/)?(?:ba|da|z|k|a)?sh$/.test(value),
  )
  const texts = settings.flatMap(({ name, value }) => (makePrograms.test(name) ? [value] : []))
  return {
    texts: texts.map((text) => ({ type: 'text', text, strict: false })),
    dangers: [...(reads ? ['generated text run by a shell'] : []), ...(isOtherShell ? [changedProgram] : [])],
  }
}

/** `vim -c '!text'`, `vim -S file` */
function ofEditor({ name, args, input }: Invocation): Code {
  const given = args.map(({ text }) => text)
  const commands = given.filter((text, index) => /^[+:]/.test(text) || /^(?:-c|--cmd)$/.test(given[index - 1] ?? ''))
  const lines = /^ex$/.test(name) ? (input.text ?? '').split('\n') : []
  const texts = [...commands, ...lines].flatMap((text) => {
    const escaped = text.split('!').slice(1)
    const terminal = /\bterm(?:inal)?\s+(.+)$/s.exec(text)?.[1]
    return [escaped.join('!').replace(/["']$/, ''), terminal ?? ''].filter((each) => each.trim() !== '')
  })
  const calls = commands.some(
    (text) =>
      text.length > longestProgram ||
      /\bsystem(?:list)?\s*\(|\b(?:lua|python3?|perl|ruby)\b.*(?:os\.|system|import)|\b(?:so|source|luafile|job_start|termopen)\b/.test(
        text,
      ),
  )
  const loads = given.some(
    (text, index) =>
      /^-(?:S|s|l)$/.test(text) ||
      (text === '-u' && !/^(?:NONE|NORC|DEFAULTS|)$/.test(given[index + 1] ?? '')) ||
      /^-S./.test(text),
  )
  return {
    texts: texts.map((text) => strict(text)),
    dangers: calls || loads ? ['script execution via -e/-c flag'] : [],
  }
}
