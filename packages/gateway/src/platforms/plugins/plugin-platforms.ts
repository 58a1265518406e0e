import { readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { PlatformError } from '../platform-error.ts'
import type { Platform } from '../platform.ts'
import { readPluginManifest } from './plugin-manifest.ts'
import type { PluginManifest } from './plugin-manifest.ts'

/** What the module of a plugin is given: it needs nothing else of Hermes at run time. */
export interface PlatformPluginApi {
  /** Version of this interface; what is in it only grows. */
  readonly version: 1
  readonly PlatformError: typeof PlatformError
}

/** A platform that a plugin brings; its code is loaded by `load`. */
export interface PluginPlatform {
  readonly name: string
  readonly plugin: string
  readonly variablePrefixes: readonly string[]
  /** Throws an error that says what is wrong with the plugin. */
  readonly load: () => Promise<Platform>
}

/** A plugin that cannot be used. */
export interface BrokenPlugin {
  readonly plugin: string
  readonly reason: string
}

/** Longest that the code of a plugin may take to be loaded, ms. */
const loadMs = 20_000

/** What comes out of the module: checked, since nobody has compiled it. */
const platformShape = lazily(() =>
  z.looseObject({
    name: z.string(),
    label: z.string().min(1),
    variablePrefix: z.string().min(1),
    promptHint: z.string(),
    limits: z.looseObject({ maxLength: z.int().positive(), maxFileBytes: z.number().nonnegative().optional() }),
    read: z.custom<Platform['read']>((value) => typeof value === 'function', 'is no function'),
    connect: z.custom<Platform['connect']>((value) => typeof value === 'function', 'is no function'),
  }),
)

/** The platforms of `<home>/plugins`, without those that are off. No code of a plugin is loaded. */
export async function pluginPlatforms({ home, config }: Pick<AgentContext, 'home' | 'config'>): Promise<{
  readonly platforms: readonly PluginPlatform[]
  readonly broken: readonly BrokenPlugin[]
}> {
  const root = home.path('plugins')
  const platforms: PluginPlatform[] = []
  const broken: BrokenPlugin[] = []
  for (const folder of await foldersIn(root)) {
    try {
      const manifest = await readPluginManifest(join(root, folder))
      if (!manifest || isOff(folder, manifest, config)) continue
      for (const name of manifest.platforms) {
        const other = platforms.find((one) => one.name === name)
        if (other) throw new Error(`the plugin ${other.plugin} brings the platform ${name} already.`)
        platforms.push({
          name,
          plugin: manifest.name,
          variablePrefixes: manifest.variablePrefixes,
          load: () => loadPlatform(name, manifest),
        })
      }
    } catch (error) {
      broken.push({ plugin: folder, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  return { platforms, broken }
}

function isOff(folder: string, { name }: PluginManifest, config: AgentContext['config']): boolean {
  const { disabled } = config.plugins
  return disabled.includes(name) || disabled.includes(folder)
}

async function loadPlatform(name: string, { folder, main }: PluginManifest): Promise<Platform> {
  const path = await realpath(join(folder, main)).catch(() => undefined)
  if (path === undefined) throw new Error(`${main} is not there.`)
  const root = await realpath(folder)
  if (!path.startsWith(root + sep)) throw new Error(`${main} is outside of the plugin’s folder.`)
  const module: unknown = await soon(import(pathToFileURL(path).href), main)
  const make = z.object({ default: z.custom<(api: PlatformPluginApi) => unknown>(isFunction) }).safeParse(module)
  if (!make.success) throw new Error(`${main} has no default export that makes the platform.`)
  const made: unknown = await soon(Promise.resolve(make.data.default({ version: 1, PlatformError })), main)
  const platform = platformShape().safeParse(made)
  if (!platform.success) {
    const [issue] = platform.error.issues
    throw new Error(`what ${main} makes is no platform: ${issue?.path.join('.')} ${issue?.message}`)
  }
  if (platform.data.name !== name) throw new Error(`${main} makes "${platform.data.name}", plugin.yaml says "${name}".`)
  const { guardedPlatform } = await import('./guarded-platform.ts')
  // The object itself, so that its methods keep their `this`.
  return guardedPlatform(made as Platform, root)
}

async function soon<T>(pending: Promise<T>, main: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`${main} takes more than ${loadMs / 1_000} seconds to load.`)),
    loadMs,
  )
  try {
    return await Promise.race([pending, late])
  } finally {
    clearTimeout(timer)
  }
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

async function foldersIn(root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true })
    return entries.flatMap((entry) => (entry.isDirectory() || entry.isSymbolicLink() ? entry.name : [])).toSorted()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
