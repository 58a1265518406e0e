import type { ToolHandle } from '../tool-source.ts'

/** Whether seldom used tools are left to `tool_search`: always, never, or where all tools together are long. */
export type DeferralMode = 'auto' | 'always' | 'never'

/**
 * Characters of all tools' schemas as JSON from which `auto` defers, about 3,000 tokens: with less, the two tools that
 * find others and the model's step of searching cost more than they save.
 */
const autoChars = 12_000

/** Most names of deferred tools that `tool_search` lists in its description, about 4 tokens each. */
const maxNames = 60

/**
 * The tools of a turn by name: where that pays, the rare ones are deferred and `finders` (`tool_search`, `use_tool`) join
 * them. The same tools in, the same schemas out, so that a session's prefix stays what it was.
 */
export function withFinders(
  handles: readonly ToolHandle[],
  finders: readonly ToolHandle[],
  mode: DeferralMode = 'auto',
): ReadonlyMap<string, ToolHandle> {
  const rare = handles.filter(({ isRare }) => isRare)
  if (rare.length === 0 || mode === 'never' || (mode === 'auto' && charsOf(handles) < autoChars)) return byName(handles)
  const deferred = handles.map((handle) => (handle.isRare ? { ...handle, isDeferred: true } : handle))
  return byName([...deferred, ...finders.map((finder) => namingTools(finder, rare))])
}

/** `tool_search` says what there is to be found. */
function namingTools(finder: ToolHandle, rare: readonly ToolHandle[]): ToolHandle {
  if (finder.name !== 'tool_search') return finder
  const names = rare.slice(0, maxNames).map(({ name }) => name)
  const more = rare.length > names.length ? ` and ${rare.length - names.length} more` : ''
  const { description } = finder.schema
  return {
    ...finder,
    schema: { ...finder.schema, description: `${description} There are: ${names.join(', ')}${more}.` },
  }
}

function charsOf(handles: readonly ToolHandle[]): number {
  return handles.reduce((sum, { schema }) => sum + JSON.stringify(schema).length, 0)
}

function byName(handles: readonly ToolHandle[]): ReadonlyMap<string, ToolHandle> {
  return new Map([...handles].sort((a, b) => (a.name < b.name ? -1 : 1)).map((handle) => [handle.name, handle]))
}
