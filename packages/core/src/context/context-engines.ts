import type { ContextEngine } from './context-engine.ts'

export type ContextEngines = Readonly<Record<string, () => Promise<ContextEngine>>>

/** The built-in engines; each is imported when it is used. */
const builtIn: ContextEngines = {
  compressor: async () => (await import('./compaction/compressor.ts')).compressor,
}

/** The engine of a name, from plugins or built in; for an unknown name the built-in one, with a notice. */
export async function openContextEngine(
  name: string,
  fromPlugins: ContextEngines = {},
): Promise<{ readonly engine: ContextEngine; readonly notice?: string }> {
  const engines = { ...fromPlugins, ...builtIn }
  const open = Object.hasOwn(engines, name) ? engines[name] : undefined
  if (open) return { engine: await open() }
  const known = Object.keys(engines).join(', ')
  const notice = `There is no context engine "${name}" (context.engine; known: ${known}); the built-in one is used.`
  return { engine: (await import('./compaction/compressor.ts')).compressor, notice }
}
