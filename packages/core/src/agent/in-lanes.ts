/** Does some work for all items, at most `lanes` at a time, begun in order; resolves to its results in their order. */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item, at: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const rest = items.entries()
  const lane = async () => {
    for (const [at, item] of rest) results[at] = await work(item, at)
  }
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane))
  return results
}
