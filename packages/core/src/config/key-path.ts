/**
 * Splits a dotted key: `agent.max_turns` is `['agent', 'max_turns']`. A part with dots or spaces in it stands in double
 * quotes: `model_aliases."gpt-4.1".model`. Undefined when the key is empty, or a part of it is.
 */
export function parseKey(key: string): readonly string[] | undefined {
  const path: string[] = []
  let rest = key
  for (;;) {
    const match = /^(?:"((?:[^"\\]|\\.)+)"|([^".]+))(\.|$)/.exec(rest)
    if (!match) return undefined
    path.push(match[1]?.replace(/\\(.)/g, '$1') ?? match[2] ?? '')
    rest = rest.slice(match[0].length)
    if (match[3] === '') return path
  }
}

/** The dotted form of a path; `parseKey` undoes it. */
export function formatKey(path: readonly string[]): string {
  return path.map((part) => (/^[^".\s\\]+$/.test(part) ? part : `"${part.replace(/["\\]/g, '\\$&')}"`)).join('.')
}
