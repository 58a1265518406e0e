import type { ToolHandle } from '../tool-source.ts'

/** Weight of a word found in the name, in the toolset and in the description or the parameters' names. */
const weights = { name: 6, toolset: 3, text: 1 } as const

/** Words that say nothing of a tool. */
const noise = new Set(['a', 'an', 'the', 'to', 'of', 'for', 'in', 'on', 'and', 'or', 'with', 'tool', 'tools', 'use'])

/**
 * The tools that a query means, best first: by exact names where it gives some (separated by commas or spaces), else by
 * the words it has in common with names, toolsets and descriptions; rarer words count more.
 */
export function findTools(handles: readonly ToolHandle[], query: string, limit: number): readonly ToolHandle[] {
  const asked = new Set(query.split(/[\s,]+/).filter((name) => name !== ''))
  const exact = handles.filter(({ name }) => asked.has(name))
  if (exact.length > 0 && exact.length === asked.size) return exact.slice(0, limit)
  const words = wordsOf(query)
  const documents = handles.map((handle) => ({ handle, ...documentOf(handle) }))
  const rarity = new Map(
    words.map((word) => {
      const count = documents.filter(({ all }) => all.some((other) => isAlike(word, other))).length
      return [word, Math.log(1 + documents.length / (1 + count))]
    }),
  )
  return documents
    .map(({ handle, name, toolset, all }) => {
      const score = words.reduce((sum, word) => {
        const hit = (list: readonly string[]) => (list.some((other) => isAlike(word, other)) ? 1 : 0)
        const weight = hit(name) * weights.name + hit(toolset) * weights.toolset + hit(all) * weights.text
        return sum + weight * (rarity.get(word) ?? 0)
      }, 0)
      return { handle, score: score + (asked.has(handle.name) ? 1_000 : 0) }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.handle.name < b.handle.name ? -1 : 1))
    .slice(0, limit)
    .map(({ handle }) => handle)
}

function documentOf({ name, toolset, schema }: ToolHandle) {
  const parameters = Object.keys((schema.parameters['properties'] as Record<string, unknown> | undefined) ?? {})
  const [names, sets] = [wordsOf(name), wordsOf(toolset)]
  return {
    name: names,
    toolset: sets,
    all: [...names, ...sets, ...wordsOf(`${schema.description} ${parameters.join(' ')}`)],
  }
}

function wordsOf(text: string): string[] {
  const words = text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  return [...new Set((words ?? []).filter((word) => !noise.has(word)))]
}

/** The same word but for its ending: `image` and `images`, `generate` and `generation`. */
function isAlike(a: string, b: string): boolean {
  if (a === b) return true
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  const stem = short.replace(/(?:ing|ion|es|ed|e|s|y)$/, '')
  return stem.length >= 4 && long.startsWith(stem) && long.length - stem.length <= 5
}
