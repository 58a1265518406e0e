import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '@hermes/core/agent/context.ts'
import { readIfThere } from '@hermes/core/config/read-if-there.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { launchdPlist } from './launchd-plist.ts'
import { runTool } from './run-tool.ts'
import type { ToolOutcome } from './run-tool.ts'
import { ServiceError } from './system-service.ts'
import type { SystemService } from './system-service.ts'

export interface LaunchdOptions {
  /** e.g. `ai.hermes.gateway-work`. */
  readonly label: string
  /** `~/Library/LaunchAgents`, absolute. */
  readonly folder: string
  /** Where its output goes, absolute. */
  readonly logFolder: string
  readonly environment: Environment
  readonly userId: number
}

/** How long `launchctl` may take, ms: what stops may drain. */
const [askMs, workMs] = [10_000, 1_800_000]

export function createLaunchd({ label, folder, logFolder, environment, userId }: LaunchdOptions): SystemService {
  const file = join(folder, `${label}.plist`)
  const domain = `gui/${userId}`
  const target = `${domain}/${label}`

  const read = () => readIfThere(file)?.toString('utf8')
  const ask = async (words: readonly string[], signal: AbortSignal, timeoutMs = askMs): Promise<ToolOutcome> => {
    const outcome = await runTool(['launchctl', ...words], { environment, timeoutMs, signal })
    if (outcome) return outcome
    throw new ServiceError('no-service-manager', 'There is no launchctl here. Run "hermes gateway start" instead.')
  }
  const work = async (words: readonly string[], signal: AbortSignal): Promise<void> => {
    const { code, stderr } = await ask(words, signal, workMs)
    if (code === 0) return
    const reason = stderr.trim() || `exit code ${code}`
    throw new ServiceError('failed', `launchctl ${words[0]} failed: ${reason}\nWhat it said: ${logFolder}`)
  }
  const isLoaded = async (signal: AbortSignal) => (await ask(['print', target], signal)).code === 0
  const unload = async (signal: AbortSignal) => {
    if (await isLoaded(signal)) await work(['bootout', target], signal)
  }
  const load = (signal: AbortSignal) => work(['bootstrap', domain, file], signal)
  return {
    name: label,
    kind: 'launchd',
    file,
    logs: logFolder,
    async install(definition, signal) {
      const text = launchdPlist(label, definition, logFolder)
      await mkdir(logFolder, { recursive: true, mode: 0o700 })
      if (read() === text) return
      // What is loaded keeps its old definition until it is loaded anew.
      await unload(signal)
      await writeFileAtomic(file, text, { mode: 0o644 })
    },
    async uninstall(signal) {
      if (read() === undefined) return false
      await unload(signal)
      await rm(file, { force: true })
      return true
    },
    async standing(definition) {
      const present = read()
      if (present === undefined) return 'absent'
      const wanted = withoutPath(launchdPlist(label, definition, logFolder))
      return withoutPath(present) === wanted ? 'current' : 'outdated'
    },
    isInstalled: () => read() !== undefined,
    installedUser: async () => undefined,
    async start(signal) {
      if (await isLoaded(signal)) await work(['kickstart', target], signal)
      else await load(signal)
    },
    // Ended in order it would not come again before the next sign-in anyway, and so `start` can load it.
    stop: unload,
    async restart(signal) {
      await unload(signal)
      await load(signal)
    },
    async state(signal) {
      const { code, stdout } = await ask(['print', target], signal)
      if (code !== 0) return { isActive: false, text: 'not loaded', isEnabled: false, hints: [] }
      const [, text = 'unknown'] = /^\s*state = (.+)$/m.exec(stdout) ?? []
      return { isActive: text === 'running', text, isEnabled: true, hints: [] }
    },
  }
}

/** `PATH` is that of whoever installed it, and differs from one shell to the next. */
function withoutPath(plist: string): string {
  return plist.replace(/<key>PATH<\/key>\s*<string>.*<\/string>/, '')
}
