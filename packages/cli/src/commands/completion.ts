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
  /** Subcommands and options, with what they do. */
  readonly words: readonly (readonly [word: string, description: string])[]
}

async function completionTree(): Promise<readonly CompletionNode[]> {
  const loaded = await Promise.all(Object.values(commands).map((entry) => entry.load()))
  const top: Command = { ...rootCommand, subcommands: loaded }
  const nodes: CompletionNode[] = []
  const visit = (one: Command, path: readonly string[]) => {
    nodes.push({ path: path.join(' '), words: [...subcommandWords(one), ...optionWords(one.options ?? {})] })
    for (const sub of one.subcommands ?? []) visit(sub, [...path, sub.name])
  }
  visit(top, [])
  return nodes
}

function subcommandWords(one: Command): [string, string][] {
  return (one.subcommands ?? []).map((sub) => [sub.name, sub.summary])
}

function optionWords(options: Readonly<Record<string, OptionSpec>>): [string, string][] {
  const words = Object.entries(options).map(([name, spec]): [string, string] => [`--${name}`, spec.description])
  return [...words, ['--help', 'Show help']]
}

const scripts: Readonly<Record<string, (nodes: readonly CompletionNode[]) => string>> = { bash, zsh, fish }

/** The shell's words before the cursor, options left out, name the command path. */
function bash(nodes: readonly CompletionNode[]): string {
  return `_hermes() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${nodes.map(({ path, words }) => `    ${quoted(path)}) COMPREPLY=($(compgen -W ${quoted(words.map(([word]) => word).join(' '))} -- "$current")) ;;`).join('\n')}
  esac
}
complete -o default -F _hermes hermes
`
}

function zsh(nodes: readonly CompletionNode[]): string {
  const describe = ([word, text]: readonly [string, string]) => quoted(`${word.replaceAll(':', '\\:')}:${text}`)
  return `#compdef hermes
_hermes() {
  local path="" word
  local -a choices
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${nodes.map(({ path, words }) => `    ${quoted(path)}) choices=(${words.map(describe).join(' ')}) ;;`).join('\n')}
    *) _files; return ;;
  esac
  _describe 'hermes' choices
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
