/** Something with the time at which it came, ISO 8601; null where that is not known. */
export interface Dated<Item> {
  readonly at: string | null
  readonly item: Item
}

/** Puts what came beside messages, oldest first, between those before and after it. What was said keeps its order. */
export function inOrder<Item>(said: readonly Dated<Item>[], beside: readonly Dated<Item>[]): readonly Item[] {
  const left = [...beside]
  const placed: Item[] = []
  for (const { at, item } of said) {
    const before = at === null ? 0 : left.findIndex((one) => !isBefore(one.at, at))
    placed.push(...left.splice(0, before === -1 ? left.length : before).map((one) => one.item), item)
  }
  return [...placed, ...left.map((one) => one.item)]
}

function isBefore(one: string | null, other: string): boolean {
  return one !== null && Date.parse(one) < Date.parse(other)
}
