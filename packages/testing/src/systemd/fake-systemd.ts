import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A `systemctl` of a test's own, which runs what units say as the real one would, as far as the gateway's need it. */
export interface FakeSystemd {
  /** To be put before the others of `PATH`. */
  readonly bin: string
  /** The calls so far, in order, e.g. `--user start x.service`. */
  calls(): Promise<readonly string[]>
  /** Exit codes (or signals) of the main process so far. */
  exits(): Promise<readonly string[]>
}

/** `folder`: where it keeps its state; `linger`: what `loginctl` says. `hasBus: false`: no service manager is there. */
export async function createFakeSystemd(folder: string, { linger = 'yes', hasBus = true } = {}): Promise<FakeSystemd> {
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  const program = join(import.meta.dirname, 'systemctl.fixture.ts')
  const command = (name: string, text: string) => writeFile(join(bin, name), `#!/bin/sh\n${text}\n`)
  if (!hasBus) await command('systemctl', 'echo "Failed to connect to bus: No medium found" >&2; exit 1')
  else await command('systemctl', `exec "${process.execPath}" "${program}" "${folder}" "$@"`)
  await command('loginctl', `echo Linger=${linger}`)
  for (const name of ['systemctl', 'loginctl']) await chmod(join(bin, name), 0o755)
  const lines = async (name: string) => {
    const text = await readFile(join(folder, name), 'utf8').catch(() => '')
    return text.split('\n').filter((line) => line !== '')
  }
  return { bin, calls: () => lines('calls'), exits: () => lines('exits') }
}
