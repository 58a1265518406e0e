import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Environment } from '../../../agent/context.ts'

/** Where `brv` is, on the PATH or where its installers put it; undefined where it is not. */
export async function findBrv(environment: Environment): Promise<string | undefined> {
  const userHome = environment['HOME'] || homedir()
  const onPath = (environment['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  const installed = [join(userHome, '.brv-cli', 'bin'), '/usr/local/bin', join(userHome, '.npm-global', 'bin')]
  for (const folder of [...onPath, ...installed]) {
    const path = join(folder, 'brv')
    if (await isProgram(path)) return path
  }
  return undefined
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
