import type { Environment } from '../agent/context.ts'

const passed: ReadonlySet<string> = new Set(['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TERM', 'SHELL', 'TMPDIR'])

/** The environment of a server's process: what programs need to run, and what its settings give it. No keys of ours. */
export function serverEnvironment(
  environment: Environment,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const child: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && (passed.has(name) || name.startsWith('XDG_'))) child[name] = value
  }
  return { ...child, ...own }
}
