import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'

const manifest = lazily(() => z.looseObject({ name: z.string().optional(), events: z.array(z.string()).default([]) }))

/** Code of the person's own that is told of events. */
export interface Hook {
  readonly name: string
  readonly folder: string
  readonly language: 'python' | 'javascript'
  /** File with `handle(event, context)`, absolute. */
  readonly handler: string
  /** `agent:start`, or `agent:*` for all that begin so. */
  readonly events: readonly string[]
}

const handlers = [
  ['handler.py', 'python'],
  ['handler.mjs', 'javascript'],
  ['handler.js', 'javascript'],
] as const

/** Every event but those of commands, `command:<name>`. */
const knownEvents = [
  'gateway:startup',
  'session:start',
  'session:end',
  'session:reset',
  'agent:start',
  'agent:step',
  'agent:end',
]

/** The hooks of `hooks/<name>/`; one that cannot be read is logged and left out, and so are events that never come. */
export async function readHooks({
  home,
  log,
}: {
  readonly home: Home
  readonly log: Logger
}): Promise<readonly Hook[]> {
  const names = await readdir(home.path('hooks')).catch((): string[] => [])
  const found = await Promise.all(
    names
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map(async (name) => {
        try {
          const hook = await readHook(name, home.path('hooks', name))
          const lost = hook?.events.filter((event) => !isEvent(event)) ?? []
          if (lost.length > 0) log.warn({ hook: name, lost, known: knownEvents }, 'a hook names events that never come')
          if (hook?.events.length === 0) log.warn({ hook: name, known: knownEvents }, 'a hook names no events')
          return hook
        } catch (error) {
          log.warn({ hook: name, error: String(error) }, 'a hook cannot be read')
          return undefined
        }
      }),
  )
  return found.flatMap((hook) => hook ?? [])
}

async function readHook(name: string, folder: string): Promise<Hook | undefined> {
  const text = await readFile(join(folder, 'HOOK.yaml'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const { parseYamlFile } = await import('@hermes/core/config/yaml-file.ts')
  const { events, name: own } = manifest().parse(parseYamlFile(text, `hooks/${name}/HOOK.yaml`).tree)
  for (const [file, language] of handlers) {
    const handler = join(folder, file)
    const stats = await stat(handler).catch(() => undefined)
    if (stats?.isFile()) return { name: own ?? name, folder, language, handler, events }
  }
  throw new Error('it has no handler.py, handler.mjs or handler.js')
}

function isEvent(name: string): boolean {
  return name.startsWith('command:') || knownEvents.some((event) => isFor({ events: [name] }, event))
}

/** Whether a hook is told of an event. */
export function isFor({ events }: Pick<Hook, 'events'>, event: string): boolean {
  return events.some((wanted) => wanted === event || (wanted.endsWith(':*') && event.startsWith(wanted.slice(0, -1))))
}
