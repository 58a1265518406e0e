import { isTree, leavesOf, type Tree } from './tree.ts'

type Environment = Readonly<Record<string, string | undefined>>

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** Whether any text in it names a variable as `${NAME}`. */
export function hasReferences(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('${') && value.search(reference) !== -1
  if (Array.isArray(value)) return value.some(hasReferences)
  return isTree(value) && Object.values(value).some(hasReferences)
}

/** The paths of the values that name variables. */
export function referencesIn(tree: Tree): readonly (readonly string[])[] {
  return [...leavesOf(tree)].flatMap(([path, value]) => (hasReferences(value) ? [path] : []))
}

/**
 * A copy with every `${NAME}` in a text (not in a key) replaced from the environment. A variable that is not set leaves
 * its text as it stands, and is given to `onUnset`.
 */
export function expandReferences<T>(value: T, environment: Environment, onUnset: (name: string) => void): T {
  const expand = (inner: unknown): unknown => {
    if (typeof inner === 'string') {
      return inner.replace(reference, (whole, name: string) => {
        const replacement = environment[name]
        if (replacement === undefined) onUnset(name)
        return replacement ?? whole
      })
    }
    if (Array.isArray(inner)) return inner.map(expand)
    if (!isTree(inner)) return inner
    const copy: Tree = {}
    for (const [key, item] of Object.entries(inner)) copy[key] = expand(item)
    return copy
  }
  // Texts stay texts and shapes stay shapes, so the copy has the type of the original.
  return expand(value) as T
}
