import { readFile } from 'node:fs/promises'
import type { Environment } from '@hermes/core/agent/context.ts'
import { runTool } from './run-tool.ts'
import { ServiceError } from './system-service.ts'

/** Somebody that the system knows. */
export interface SystemUser {
  readonly name: string
  readonly group: string
  /** Absolute. */
  readonly home: string
}

const usualMs = 5_000

/** Throws `ServiceError` `no-such-user`. */
export async function findUser(name: string, environment: Environment, signal: AbortSignal): Promise<SystemUser> {
  const outcome = await runTool(['getent', 'passwd', name], { environment, timeoutMs: usualMs, signal })
  const line = outcome?.code === 0 ? outcome.stdout : await lineOf('/etc/passwd', 0, name)
  const [found, , , groupId = '', , home = ''] = (line ?? '').trim().split(':')
  if (found !== name || home === '') throw new ServiceError('no-such-user', `There is no user "${name}" here.`)
  const group = (await lineOf('/etc/group', 2, groupId))?.split(':')[0] ?? groupId
  return { name, group, home }
}

/** The line of a file of the system whose field says this. */
async function lineOf(file: string, field: number, value: string): Promise<string | undefined> {
  const lines = (await readFile(file, 'utf8')).split('\n')
  return lines.find((line) => line.split(':')[field] === value)
}
