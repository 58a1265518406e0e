import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Environment } from '../../../agent/context.ts'
import type { Home } from '../../../config/home.ts'
import { childEnvironment } from '../../../terminals/child-environment.ts'
import { endGroup } from '../../../terminals/run-in-group.ts'
import { ModelError } from '../../model-error.ts'
import { installedRuntime, runtimeFolder, runtimeVersion } from '../runtime.ts'

/** About how much is fetched and takes room, bytes. */
export const runtimeBytes = 85_000_000

const longestInstallMs = 15 * 60_000

/** Characters of npm's complaints that are kept. */
const mostComplaints = 4000

/**
 * Installs what runs model files into the home, with npm: node-llama-cpp and the programs for this machine's processor,
 * without those for graphics cards, which are ten times as large. The folder is there only when it is whole. Throws
 * `ModelError`; when `signal` aborts, its reason.
 */
export async function installRuntime(home: Home, environment: Environment, signal: AbortSignal): Promise<void> {
  const folder = runtimeFolder(home)
  const binaries = `@node-llama-cpp/${platformName(process.platform, process.arch)}`
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
  const staging = await mkdtemp(`${folder}.new-`)
  try {
    const dependencies = { 'node-llama-cpp': runtimeVersion, [binaries]: runtimeVersion }
    await writeFile(join(staging, 'package.json'), JSON.stringify({ private: true, dependencies }))
    await npmInstall(staging, environment, signal)
    if (installedRuntime(undefined, { HERMES_LLAMA_RUNTIME: staging }) === undefined) {
      throw new ModelError('not-configured', 'npm ended without installing node-llama-cpp.')
    }
    await rm(folder, { recursive: true, force: true })
    await rename(staging, folder)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    throw error
  }
}

/** How the packages with the programs for a machine are called. Throws `ModelError` where there is none. */
export function platformName(platform: string, arch: string): string {
  const name = platforms[`${platform}-${arch}`]
  if (name !== undefined) return name
  throw new ModelError('not-configured', `Model files cannot run on this machine (${platform}, ${arch}).`)
}

const platforms: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-armv7l',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
}

/** No scripts of packages are run: the programs come built. */
const npmArguments = ['install', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

async function npmInstall(folder: string, environment: Environment, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.timeout(longestInstallMs)
  const child = spawn('npm', [...npmArguments, `--prefix=${folder}`], {
    cwd: folder,
    env: childEnvironment({ environment, passthrough: [] }),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: process.platform !== 'win32',
    shell: process.platform === 'win32',
  })
  let complaints = ''
  child.stderr?.on('data', (bytes: Buffer) => {
    complaints = `${complaints}${bytes.toString()}`.slice(-mostComplaints)
  })
  const ended = Promise.withResolvers<number | null>()
  child.once('error', ended.reject).once('close', ended.resolve)
  const both = AbortSignal.any([signal, limit])
  const end = () => {
    endGroup(child.pid)
    ended.reject(both.reason)
  }
  both.addEventListener('abort', end, { once: true })
  if (both.aborted) end()
  try {
    const code = await ended.promise
    if (code !== 0) throw new ModelError('not-configured', `npm could not install node-llama-cpp: ${complaints.trim()}`)
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted) throw new ModelError('timeout', 'npm took too long to install node-llama-cpp.')
    if (!isMissing(error)) throw error
    const message = 'npm is needed to install what runs model files, and it is not there. It comes with Node.js.'
    throw new ModelError('not-configured', message, { cause: error })
  } finally {
    both.removeEventListener('abort', end)
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
