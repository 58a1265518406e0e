import { dirname, relative } from 'node:path'
import { z } from 'zod'
import { absolutePath, realEntry, realTarget } from '../security/file-safety-resolve.ts'
import type { ToolContext } from '../tools/tool.ts'
import { homesOf } from './open-checkpoints.ts'
import { isProject, projectFolder } from './project-folder.ts'
import type { Homes } from './project-folder.ts'

/** A folder in which a call is about to change something. */
export interface ChangedPlace {
  readonly folder: string
  /** The files, where the call names them; relative to the folder. */
  readonly files: readonly string[]
}

type Context = Pick<ToolContext, 'agent' | 'session'>

/** Most folders of one call. */
const maxPlaces = 8

/**
 * The folders of which a checkpoint belongs before a call; none for one that only reads. Throws `CheckpointError` for a
 * folder that is never kept, and whatever is wrong with the call's own paths.
 */
export async function changedPlaces(tool: string, args: unknown, context: Context): Promise<readonly ChangedPlace[]> {
  const find = Object.hasOwn(finders, tool) ? finders[tool] : undefined
  if (!find) return []
  const { agent, session } = context
  return find(args, { cwd: session.cwd(), homes: await homesOf(agent) })
}

interface Where {
  readonly cwd: string
  readonly homes: Homes
}

type Finder = (args: unknown, where: Where) => Promise<readonly ChangedPlace[]>

const writeArgs = z.object({ path: z.string() })
const patchArgs = z.object({ path: z.string().optional(), patch: z.string().optional(), mode: z.string().optional() })
const commandArgs = z.object({ command: z.string(), workdir: z.string().optional() })

const finders: Readonly<Record<string, Finder>> = {
  async write_file(args, where) {
    return placesOf([writeArgs.parse(args).path], where)
  },
  async patch(args, where) {
    const { mode, path, patch } = patchArgs.parse(args)
    if (mode !== 'patch') return path ? placesOf([path], where) : []
    const { parsePatch } = await import('../tools/patch/parse-patch.ts')
    const named = parsePatch(patch ?? '').flatMap((one) =>
      'moveTo' in one && one.moveTo !== undefined ? [one.path, one.moveTo] : [one.path],
    )
    return placesOf(named, where)
  },
  // A script can do anything.
  execute_code: async (_args, { cwd, homes }) => [{ folder: projectFolder(cwd, homes), files: [] }],
  async terminal(args, { cwd, homes }) {
    const { command, workdir } = commandArgs.parse(args)
    const start = absolutePath(workdir ?? '.', cwd, homes.userHome)
    const { commandChanges } = await import('./command-changes.ts')
    const { isDestructive, paths } = commandChanges(command, { cwd: start, ...homes })
    if (!isDestructive) return []
    const places = [{ folder: projectFolder(start, homes), files: [] }]
    // Of what it names elsewhere only projects count: there is no telling how much lies around a file on its own.
    for (const path of paths.slice(0, 100)) {
      const folder = elsewhere(dirname(await realEntry(path)), homes)
      if (folder !== undefined && !places.some((place) => place.folder === folder)) places.push({ folder, files: [] })
    }
    return places.slice(0, maxPlaces)
  },
}

function elsewhere(folder: string, homes: Homes): string | undefined {
  try {
    const found = projectFolder(folder, homes)
    return isProject(found) ? found : undefined
  } catch {
    return undefined
  }
}

async function placesOf(paths: readonly string[], { cwd, homes }: Where): Promise<readonly ChangedPlace[]> {
  const places = new Map<string, string[]>()
  for (const path of paths) {
    const asked = absolutePath(path, cwd, homes.userHome)
    for (const real of new Set([await realEntry(asked), await realTarget(asked)])) {
      const folder = projectFolder(dirname(real), homes)
      places.set(folder, [...(places.get(folder) ?? []), relative(folder, real)])
    }
  }
  return [...places].slice(0, maxPlaces).map(([folder, files]) => ({ folder, files }))
}
