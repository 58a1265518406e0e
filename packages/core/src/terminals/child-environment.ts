import type { Environment } from '../agent/context.ts'
import { isSecretVariable } from './secret-variables.ts'

const saneFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']
/** `_HERMES_FORCE_NAME=x` gives commands `NAME=x` whatever `NAME` is. */
const forcePrefix = '_HERMES_FORCE_'

export interface ChildEnvironmentOptions {
  readonly environment: Environment
  /** Names that pass although they are secrets. */
  readonly passthrough: readonly string[]
  /** Replaces `HOME`. */
  readonly homeDir?: string
}

/** The environment of commands: the agent's own without what is secret, with a PATH that finds the usual programs. */
export function childEnvironment(options: ChildEnvironmentOptions): Record<string, string> {
  const passes = new Set(options.passthrough)
  const child: Record<string, string> = {}
  const forced: [string, string][] = []
  for (const [name, value] of Object.entries(options.environment)) {
    if (value === undefined || value.includes('\0')) continue
    if (name.startsWith(forcePrefix)) forced.push([name.slice(forcePrefix.length), value])
    else if (passes.has(name) || !isSecretVariable(name)) child[name] = value
  }
  for (const [name, value] of forced) if (name !== '') child[name] = value
  if (options.homeDir !== undefined) child['HOME'] = options.homeDir
  child['PATH'] = withSaneFolders(child['PATH'] ?? '')
  return child
}

function withSaneFolders(path: string): string {
  const folders = path.split(':').filter((folder) => folder !== '')
  if (folders.includes('/usr/bin')) return path
  return [...folders, ...saneFolders.filter((folder) => !folders.includes(folder))].join(':')
}
