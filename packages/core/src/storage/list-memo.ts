/** What was made of lists: the same items in the same order are not worked on again. */
export type ListMemo<Item, Made> = (items: readonly Item[], make: () => Made) => Made

/** Lists that are kept, unless more are asked for. */
const usualLists = 16

/** Keeps at most `maxLists`; the one not asked for longest goes first. */
export function createListMemo<Item, Made>(maxLists = usualLists): ListMemo<Item, Made> {
  const known: { readonly items: readonly Item[]; readonly made: Made }[] = []
  return (items, make) => {
    const at = known.findIndex((one) => areSame(one.items, items))
    const found = known[at]
    if (found) {
      if (at > 0) known.unshift(...known.splice(at, 1))
      return found.made
    }
    const made = make()
    known.unshift({ items: [...items], made })
    known.length = Math.min(known.length, maxLists)
    return made
  }
}

function areSame<Item>(some: readonly Item[], others: readonly Item[]): boolean {
  return some.length === others.length && some.every((item, at) => item === others[at])
}
