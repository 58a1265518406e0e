import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import { writeFileAtomic } from '../../storage/atomic-write.ts'
import { MemoryProviderError } from '../memory-provider-error.ts'

/** The settings in a provider's own JSON file, or undefined where it is not there. Throws `MemoryProviderError`. */
export async function readSettingsFile(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new MemoryProviderError('unconfigured', `${path} cannot be read.`, { cause: error })
  }
  const value = objectIn(text)
  if (value === undefined) throw new MemoryProviderError('unconfigured', `${path} is no JSON object. Correct it.`)
  return value
}

/** Sets some keys of a settings file; the others stay as they are. */
export async function mergeSettingsFile(path: string, values: Readonly<Record<string, unknown>>): Promise<void> {
  const merged = { ...(await readSettingsFile(path)), ...values }
  await writeFileAtomic(path, `${JSON.stringify(merged, undefined, 2)}\n`)
}

/** What is set: upstream's setup leaves nulls and empty words for what is not. */
export function withoutBlanks(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== '' && value !== null))
}

/** Settings as a schema understands them. Throws `MemoryProviderError` that names the wrong one, never its value. */
export function parseSettings<T>(schema: z.ZodType<T>, settings: unknown, where: string): T {
  const result = schema.safeParse(settings)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const message = `${where}: ${issue?.path.join('.')} is not right: ${issue?.message}`
  throw new MemoryProviderError('unconfigured', message)
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    // Editors of Windows put a mark before the text.
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
