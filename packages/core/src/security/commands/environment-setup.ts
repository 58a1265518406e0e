import { baseName } from './shell-values.ts'
import type { SimpleCommand, Word } from './syntax.ts'

/** Programs that print settings for the shell to evaluate, and are made for that. */
const tools: ReadonlySet<string> = new Set([
  'ssh-agent',
  'gpg-agent',
  'keychain',
  'pyenv',
  'rbenv',
  'nodenv',
  'goenv',
  'jenv',
  'phpenv',
  'plenv',
  'direnv',
  'brew',
  'opam',
  'conda',
  'mamba',
  'micromamba',
  'starship',
  'zoxide',
  'fnm',
  'mise',
  'rtx',
  'asdf',
  'luarocks',
  'docker-machine',
  'minikube',
  'dircolors',
  'thefuck',
  'fzf',
  'atuin',
  'kubectl',
  'helm',
  'gh',
  'uv',
  'poetry',
  'pipenv',
  'pip',
  'npm',
  'register-python-argcomplete',
  'devbox',
  'nix',
  'volta',
  'rustup',
  'locale',
  'getopt',
])

/** The words that ask such a program for settings; with others it may print anything. */
const asking =
  /^(?:init|hook|hooks|export|shellenv|env|activate|shell|shell\.\w+|completions?|generate-shell-completion|docker-env|podman-env|virtualenv-init|config|-|-[sckbaD]|--\w+)$/

/** Whether a command is `eval "$(tool …)"` or `source <(tool …)` of such a program. */
export function isEnvironmentSetup(command: SimpleCommand): boolean {
  const [program, argument, ...others] = command.words
  if (!program || !argument || others.length > 0) return false
  if (!/^(?:eval|source|\.)$/.test(plainText(program) ?? '')) return false
  const [part, ...rest] = argument.parts.filter((each) => each.type !== 'text' || each.text !== '')
  if (!part || rest.length > 0 || (part.type !== 'command' && part.type !== 'process')) return false
  const [pipeline, ...pipelines] = part.script.pipelines
  const [inner, ...commands] = pipeline?.commands ?? []
  if (inner?.type !== 'simple' || pipelines.length > 0 || commands.length > 0) return false
  const [tool, ask] = inner.words
  if (tool === undefined || !tools.has(baseName(plainText(tool) ?? ''))) return false
  return ask === undefined || asking.test(plainText(ask) ?? '')
}

function plainText({ parts }: Word): string | undefined {
  const texts = parts.map((part) => (part.type === 'text' ? part.text : undefined))
  return texts.includes(undefined) ? undefined : texts.join('')
}
