import type { AuditFinding, AuditSubject } from './finding.ts'

type Settings = Readonly<Record<string, unknown>>

/** MCP servers whose code can change without notice, or that are spoken to in the clear. */
export function checkMcpServers({ config }: AuditSubject): readonly AuditFinding[] {
  return Object.entries(config.mcp_servers).flatMap(([name, settings]) => {
    if (settings['enabled'] === false) return []
    const where = `mcp_servers.${name}`
    return [...plainHttp(settings, where), ...unpinned(settings, where)]
  })
}

function plainHttp(settings: Settings, where: string): readonly AuditFinding[] {
  const url = URL.parse(textOf(settings['url']))
  if (url?.protocol !== 'http:' || /^(?:localhost|127\.|\[::1\])/.test(url.hostname)) return []
  return [
    {
      id: 'mcp-plain-http',
      severity: 'high',
      where: `${where}.url`,
      problem: `What is said to ${url.host}, its token too, can be read and changed on the way.`,
      remedy: 'Use its https:// address.',
    },
  ]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A package or image that is fetched anew at each start, whatever version it then has. */
function unpinned(settings: Settings, where: string): readonly AuditFinding[] {
  if (settings['url'] !== undefined && settings['url'] !== '') return []
  const command = textOf(settings['command']).replace(/^.*\//, '')
  const args = Array.isArray(settings['args']) ? settings['args'].map((arg: unknown) => String(arg)) : []
  const fetched = fetchedBy(command, args)
  if (fetched === undefined || isPinned(command, fetched)) return []
  return [
    {
      id: 'mcp-not-pinned',
      severity: 'medium',
      where,
      problem: `${fetched} is fetched at each start in whatever version there is: a stolen package runs here at once.`,
      remedy: `Name a version: ${command === 'docker' || command === 'podman' ? `${fetched}@sha256:…` : command.startsWith('uv') || command === 'pipx' ? `${fetched}==1.2.3` : `${fetched.replace(/@latest$/, '')}@1.2.3`}.`,
    },
  ]
}

function fetchedBy(command: string, args: readonly string[]): string | undefined {
  const operands = args.filter((arg) => !arg.startsWith('-'))
  const from = args.findIndex((arg) => /^(?:--from|--package|-p)$/.test(arg))
  if (from !== -1) return args[from + 1]
  if (/^(?:npx|bunx|uvx)$/.test(command)) return operands[0]
  if (/^(?:pnpm|yarn)$/.test(command) && operands[0] === 'dlx') return operands[1]
  if (command === 'npm' && /^(?:exec|x)$/.test(operands[0] ?? '')) return operands[1]
  if (command === 'pipx' && operands[0] === 'run') return operands[1]
  if (command === 'uv' && operands[0] === 'tool' && operands[1] === 'run') return operands[2]
  if (/^(?:docker|podman)$/.test(command) && operands[0] === 'run')
    return args.findLast((arg) => /^[\w.-]+\/[\w./-]+/.test(arg))
  return undefined
}

function isPinned(command: string, name: string): boolean {
  if (command === 'docker' || command === 'podman') return name.includes('@sha256:')
  // Of git and tarball addresses a commit or version is part.
  return /(?:==|.@)v?\d|#[0-9a-f]{7,40}$|@[0-9a-f]{40}$|^\.{0,2}\//.test(name)
}
