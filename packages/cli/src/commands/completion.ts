import type { Command, OptionSpec } from '../command.ts'
import { commands } from '../commands.ts'
import { rootCommand } from '../root-command.ts'

export const command: Command = {
  name: 'completion',
  summary: 'Print a completion script: eval "$(hermes completion bash)"',
  positionals: '[bash|zsh|fish]',
  examples: [
    'eval "$(hermes completion bash)"    in ~/.bashrc',
    'eval "$(hermes completion zsh)"     in ~/.zshrc',
    'hermes completion fish > ~/.config/fish/completions/hermes.fish',
  ],
  async run({ positionals }, cli) {
    const [shell = 'bash'] = positionals
    const script = scripts[shell]
    if (!script) {
      cli.stderr.write(`There is no completion for "${shell}"; it is made for ${Object.keys(scripts).join(', ')}.\n`)
      return 2
    }
    cli.stdout.write(script(await completionTree()))
    return 0
  },
}

/** What may follow a command path, e.g. `sessions list`. */
interface CompletionNode {
  readonly path: string
  /** Subcommands, options and values of the positional argument, with what they do. */
  readonly words: readonly Word[]
  /** Options that take a value, as they are written (`--role`, `-r`), with the values that are known. */
  readonly valued: readonly (readonly [option: string, choices: readonly string[]])[]
}

type Word = readonly [word: string, description: string]

async function completionTree(): Promise<readonly CompletionNode[]> {
  const loaded = await Promise.all(Object.values(commands).map((entry) => entry.load()))
  const top: Command = { ...rootCommand, subcommands: loaded }
  const nodes: CompletionNode[] = []
  const visit = (one: Command, path: readonly string[]) => {
    const words = [...subcommandWords(one), ...positionalWords(one), ...optionWords(one.options ?? {})]
    nodes.push({ path: path.join(' '), words, valued: valuedOptions(one.options ?? {}) })
    for (const sub of one.subcommands ?? []) visit(sub, [...path, sub.name])
  }
  visit(top, [])
  nodes.push({ path: 'help', words: subcommandWords(top), valued: [] })
  return nodes
}

function subcommandWords(one: Command): Word[] {
  return (one.subcommands ?? []).map((sub) => [sub.name, sub.summary])
}

/** The words of an argument that is one of some, such as `[bash|zsh|fish]`. */
function positionalWords({ positionals = '' }: Command): Word[] {
  const choices = /^[[<](\w+(?:\|\w+)+)[\]>]$/.exec(positionals)?.[1]?.split('|') ?? []
  return choices.map((word) => [word, ''])
}

function optionWords(options: Readonly<Record<string, OptionSpec>>): Word[] {
  const words = Object.entries(options).map(([name, spec]): Word => [`--${name}`, spec.description])
  return [...words, ['--help', 'Show help']]
}

function valuedOptions(options: Readonly<Record<string, OptionSpec>>): CompletionNode['valued'] {
  return Object.entries(options).flatMap(([name, { type, short, choices = [] }]) => {
    if (type !== 'string') return []
    const written = short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
    return written.map((option) => [option, choices] as const)
  })
}

const scripts: Readonly<Record<string, (nodes: readonly CompletionNode[]) => string>> = { bash, zsh, fish }

/**
 * Finds, in bash and zsh alike, the command path among the words before the cursor (`at`; `path` is zsh's own), and the option whose value
 * is being written (`option`, else empty).
 */
function findPath(nodes: readonly CompletionNode[], words: string): string {
  const valued = nodes.flatMap(({ path, valued: options }) => options.map(([option]) => quoted(`${path}:${option}`)))
  const below = nodes.flatMap(({ path }) => (path === '' ? [] : [quoted(path.includes(' ') ? path : ` ${path}`)]))
  return `  for word in ${words}; do
    if [ -n "$option" ]; then option=""; continue; fi
    case "$at:$word" in
      ${valued.join('|')}) option="$word"; continue ;;
    esac
    case "$at $word" in
      ${below.join('|')}) at="\${at:+$at }$word" ;;
    esac
  done`
}

/** The cases of the options whose values are known; the others take a file. */
function valueCases(nodes: readonly CompletionNode[], use: (choices: readonly string[]) => string): string {
  const cases = nodes.flatMap(({ path, valued }) =>
    valued.flatMap(([option, choices]) =>
      choices.length > 0 ? [`      ${quoted(`${path}:${option}`)}) ${use(choices)} ;;`] : [],
    ),
  )
  return cases.join('\n')
}

function bash(nodes: readonly CompletionNode[]): string {
  const reply = (words: readonly string[]) => `COMPREPLY=($(compgen -W ${quoted(words.join(' '))} -- "$current"))`
  return `_hermes() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at="" option="" word
  COMPREPLY=()
${findPath(nodes, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"')}
  if [ -n "$option" ]; then
    case "$at:$option" in
${valueCases(nodes, reply)}
    esac
    return
  fi
  case "$at" in
${nodes.map(({ path, words }) => `    ${quoted(path)}) ${reply(words.map(([word]) => word))} ;;`).join('\n')}
  esac
}
complete -o default -F _hermes hermes
`
}

function zsh(nodes: readonly CompletionNode[]): string {
  const describe = ([word, text]: Word) => quoted(`${word.replaceAll(':', '\\:')}${text && `:${text}`}`)
  const list = (words: readonly Word[]) => `choices=(${words.map(describe).join(' ')})`
  return `#compdef hermes
_hermes() {
  local at="" option="" word
  local -a choices
${findPath(nodes, '"${(@)words[2,CURRENT-1]}"')}
  if [ -n "$option" ]; then
    case "$at:$option" in
${valueCases(nodes, (choices) => list(choices.map((choice) => [choice, ''])))}
      *) _files; return ;;
    esac
    _describe 'value' choices
    return
  fi
  case "$at" in
${nodes.map(({ path, words }) => `    ${quoted(path)}) ${list(words)} ;;`).join('\n')}
  esac
  _describe 'hermes' choices || _files
}
compdef _hermes hermes
`
}

function fish(nodes: readonly CompletionNode[]): string {
  const lines = nodes.flatMap(({ path, words }) =>
    words.map(([word, text]) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
      return `complete -c hermes -n ${quoted(`__hermes_at ${path}`)} ${what} -d ${quoted(text)}`
    }),
  )
  return `function __hermes_at
  set -l words (commandline -opc)[2..-1]
  set -l path (string match -v -- '-*' $words)
  test "$path" = "$argv"
end
${lines.join('\n')}
`
}

/** In single quotes for any of the three shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
