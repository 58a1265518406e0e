import type { Field } from './fields.ts'
import type { Wrapped } from './wrapped.ts'
import { skipOptions } from './wrapper-options.ts'

/** Subcommands of container and cluster programs that run something inside. */
export const containers: ReadonlySet<string> = new Set([
  'docker',
  'podman',
  'nerdctl',
  'kubectl',
  'oc',
  'docker-compose',
  'lxc',
  'crictl',
])

/** `docker exec box program`, `docker run image program`, `kubectl exec pod -- program`. */
export function inContainer(args: readonly Field[]): Wrapped[] {
  const verb = args.findIndex(({ text }) => text === 'exec' || text === 'run')
  if (verb === -1) return []
  const rest = args.slice(verb + 1)
  const border = rest.findIndex(({ text }) => text === '--')
  if (border !== -1) return [{ type: 'call', fields: rest.slice(border + 1) }]
  const valued = [
    '-e',
    '-u',
    '-w',
    '-v',
    '-p',
    '-n',
    '-c',
    '-l',
    '-m',
    '-h',
    '--env',
    '--user',
    '--workdir',
    '--name',
    '--volume',
    '--network',
    '--entrypoint',
    '--publish',
    '--mount',
    '--env-file',
    '--platform',
    '--memory',
    '--cpus',
    '--label',
    '--hostname',
    '--index',
    '--gpus',
    '--restart',
    '--add-host',
  ]
  const { index } = skipOptions(rest, { valued })
  const fields = rest.slice(index + 1)
  return fields.length > 0 ? [{ type: 'call', fields }] : []
}
