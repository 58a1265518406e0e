/** A mapping as YAML and JSON give it. */
export type Tree = { [key: string]: unknown }

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at a path, or undefined. */
export function getAt(tree: unknown, path: readonly string[]): unknown {
  let value = tree
  for (const key of path) {
    if (!isTree(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

/** Puts a value at a path, making the mappings on the way; what is no mapping there is replaced. */
export function setAt(tree: Tree, path: readonly string[], value: unknown): void {
  let at = tree
  for (const key of path.slice(0, -1)) {
    const next = Object.hasOwn(at, key) ? at[key] : undefined
    if (isTree(next)) at = next
    else at = putOwn(at, key, {}) as Tree
  }
  const last = path.at(-1)
  if (last !== undefined) putOwn(at, last, value)
}

/** Takes away what is at a path. */
export function removeAt(tree: Tree, path: readonly string[]): void {
  const last = path.at(-1)
  const parent = getAt(tree, path.slice(0, -1))
  if (last !== undefined && isTree(parent)) delete parent[last]
}

/** Lays `over` onto `under`, mapping by mapping; everything else, lists too, is replaced. Neither is changed. */
export function mergeTrees(under: Tree, over: Tree): Tree {
  const merged = { ...under }
  for (const [key, value] of Object.entries(over)) {
    const below = Object.hasOwn(merged, key) ? merged[key] : undefined
    putOwn(merged, key, isTree(below) && isTree(value) ? mergeTrees(below, value) : value)
  }
  return merged
}

/** Every value that is no mapping, and every empty mapping, with its path. */
export function* leavesOf(tree: Tree, path: readonly string[] = []): Generator<[readonly string[], unknown]> {
  for (const [key, value] of Object.entries(tree)) {
    const here = [...path, key]
    if (isTree(value) && Object.keys(value).length > 0) yield* leavesOf(value, here)
    else yield [here, value]
  }
}

/** Freezes a value and all that is in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}

/** Sets a key as data, whatever it is called: assigning `__proto__` would do something else. */
function putOwn(tree: Tree, key: string, value: unknown): unknown {
  if (key === '__proto__')
    Object.defineProperty(tree, key, { value, enumerable: true, writable: true, configurable: true })
  else tree[key] = value
  return value
}
