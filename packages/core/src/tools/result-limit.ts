import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '../config/home.ts'
import { writeFileAtomic } from '../storage/atomic-write.ts'
import type { Tool, ToolContext, ToolResult } from './tool.ts'

/** Longest result that a model gets whole, characters, where the tool does not say. */
export const defaultMaxResultChars = 100_000

/** What the model sees of a longer one, characters. */
const previewChars = 1_500

/** Kept results of a profile; the oldest go first. */
const maxKeptFiles = 200

/**
 * Cuts a result that is too long for the model's context: the whole goes into a file under `cache/tool-results` that the
 * model can page through with `read_file`; the result becomes its beginning and the path.
 */
export async function limitResult(result: ToolResult, tool: Tool, context: ToolContext): Promise<ToolResult> {
  const limit = tool.maxResultChars ?? defaultMaxResultChars
  if (result.content.length <= limit) return result
  const file = await keepWhole(result.content, context.callId, context.agent.home)
  const preview = beginning(result.content)
  return {
    ...result,
    content: [
      '<persisted-output>',
      `The result is ${result.content.length} characters long, too long to show. The whole is in ${file}: page through it with read_file (offset, limit) or search it with search_files.`,
      'It begins:',
      preview,
      '</persisted-output>',
    ].join('\n'),
  }
}

/** Puts a text where the model can read it with `read_file`, under a name that is made of `id`; resolves to its path. */
export async function keepWhole(text: string, id: string, home: Home): Promise<string> {
  const folder = home.path('cache', 'tool-results')
  const file = join(folder, `${id.replaceAll(/[^\w-]/g, '_').slice(0, 80)}.txt`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFileAtomic(file, text, { mode: 0o600 })
  await dropOldest(folder)
  return file
}

/** The first part, ended at a line where that loses less than half, never inside a surrogate pair. */
function beginning(text: string): string {
  const cut = text.slice(0, previewChars)
  const line = cut.lastIndexOf('\n')
  return (line > previewChars / 2 ? cut.slice(0, line) : cut).toWellFormed()
}

/** Removes the oldest files of a folder of kept ones. */
export async function dropOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= maxKeptFiles) return
  const files = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })))
  files.sort((a, b) => a.at - b.at)
  for (const { name } of files.slice(0, files.length - maxKeptFiles)) await rm(join(folder, name), { force: true })
}
