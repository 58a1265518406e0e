import type { Environment } from '../../agent/context.ts'

const names = new Set([
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'TERM',
  'TMPDIR',
  'TMP',
  'TEMP',
  'SHELL',
  'LOGNAME',
  'PYTHONPATH',
  'VIRTUAL_ENV',
  'TZ',
])
const prefixes = ['LC_', 'XDG_', 'CONDA'] as const
const secret = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|PASSWD|AUTH/i

/** The environment of scripts: what programs need to run, and nothing that is secret. */
export function scriptEnvironment(environment: Environment, passthrough: readonly string[]): Record<string, string> {
  const passes = new Set(passthrough)
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => {
      const [name, value] = entry
      if (value === undefined || value.includes('\0')) return false
      if (passes.has(name)) return true
      return (names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) && !secret.test(name)
    }),
  )
}
