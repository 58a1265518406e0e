import { execFileSync } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentContext, Environment } from '../agent/context.ts'
import { openGitStore } from './git-store.ts'
import type { GitStoreOptions } from './git-store.ts'
import { shadowDir } from './shadow-folder.ts'

export interface FixtureOptions extends Omit<GitStoreOptions, 'folder'> {
  readonly maxSnapshots?: number
  readonly environment?: Environment
}

/** What a store uses of a profile, with its home at `homeDir`. */
export function servicesAt(homeDir: string, { maxSnapshots = 50, environment = {} }: FixtureOptions = {}) {
  const services = {
    home: { dir: homeDir, path: (...parts: string[]) => join(homeDir, ...parts) },
    config: { checkpoints: { enabled: true, max_snapshots: maxSnapshots } },
    environment: { PATH: process.env['PATH'], ...environment },
    clock: { now: () => Date.now(), timeZone: 'UTC' },
  }
  // Stores use no other part of it.
  return services as unknown as Pick<AgentContext, 'home' | 'config' | 'environment' | 'clock'>
}

/** A project folder with its store; the Hermes home is beside it. */
export async function checkpointFixture(files: Readonly<Record<string, string>> = {}, options: FixtureOptions = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'hermes checkpoints-')))
  const [folder, homeDir] = [join(root, 'work'), join(root, 'hermes')]
  await mkdir(folder)
  const services = servicesAt(homeDir, options)
  const signal = new AbortController().signal
  const put = async (name: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  for (const [name, content] of Object.entries(files)) await put(name, content)
  const open = () => openGitStore({ folder, ...options }, services)
  const store = await open()
  const dir = shadowDir(services.home, folder)
  return {
    root,
    folder,
    homeDir,
    /** The shadow repository. */
    dir,
    store,
    open,
    put,
    signal,
    path: (...parts: string[]) => join(folder, ...parts),
    /** Git in the shadow repository, as anybody would use it. */
    git: (...args: string[]) => execFileSync('git', [`--git-dir=${dir}`, ...args], { encoding: 'utf8' }).trim(),
    take: (reason = 'before a change', names: readonly string[] = []) => store.take(reason, names, signal),
    /** Takes a checkpoint that must be a new one. */
    async mark(reason?: string): Promise<string> {
      const { hash } = await store.take(reason ?? 'before a change', [], signal)
      if (hash === undefined) throw new Error('nothing had changed')
      return hash
    },
    /** Restores everything, with consent to all that it asks for. */
    async restore(hash: string, path?: string) {
      const { created } = await store.planRestore({ hash, path }, signal)
      return store.restore({ hash, path, remove: created }, signal)
    },
    list: () => store.list(signal),
    /** Every file and link, with its permissions and content. */
    state: () => stateOf(folder),
    async [Symbol.asyncDispose]() {
      await rm(root, { recursive: true, force: true })
    },
  }
}

export async function stateOf(folder: string): Promise<Record<string, string>> {
  const state: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = await lstat(path)
    state[path.slice(folder.length + 1)] = entry.isSymbolicLink()
      ? `-> ${await readlink(path)}`
      : `${(mode & 0o777).toString(8)} ${(await readFile(path)).toString('latin1')}`
  }
  return state
}
