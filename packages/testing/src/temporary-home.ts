import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A home folder that a test has for itself; it is gone when the test ends. */
export interface TemporaryHome extends AsyncDisposable {
  /** Absolute path of the home folder. */
  readonly dir: string
  /** A path inside it. */
  path(...parts: string[]): string
  /** An environment in which this is the home, and nothing of the machine's own settings is seen. */
  readonly environment: Readonly<Record<string, string>>
}

/** Makes a home with some files in it: relative path to content. */
export async function temporaryHome(files: Readonly<Record<string, string>> = {}): Promise<TemporaryHome> {
  const dir = await mkdtemp(join(tmpdir(), 'hermes-home-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true, mode: 0o700 })
    await writeFile(join(dir, name), content, { mode: 0o600 })
  }
  return {
    dir,
    path: (...parts) => join(dir, ...parts),
    environment: {
      HERMES_HOME: dir,
      HOME: dir,
      PATH: process.env['PATH'] ?? '',
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      // No look at the usual ports of local model servers: what runs on this machine is no part of a test.
      HERMES_LOCAL_SERVERS: '',
    },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true, maxRetries: 3 }),
  }
}
