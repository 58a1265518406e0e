/** What somebody holds open who has not shown that they may. */
export interface Stranger {
  readonly address: string
  /** Cuts it off. */
  cut(): void
}

/** Those who have not signed in: when they are too many the oldest is cut off, never who comes. */
export interface Strangers {
  /** One has come. Returns how it is no stranger any more, signed in or gone. */
  add(stranger: Stranger): () => void
  /** Cuts off one, of the address that has most. False where there is none. */
  cutOne(): boolean
  readonly count: number
}

/**
 * At most so many in all, and of one address. Whoever knows the secret says so at once, so that those who stay silent are
 * cut off before them; a crowd of one address takes nothing from others.
 */
export function createStrangers({
  most,
  mostOfAddress,
}: {
  readonly most: number
  readonly mostOfAddress: number
}): Strangers {
  /** By address, oldest first. */
  const byAddress = new Map<string, Set<Stranger>>()
  let count = 0

  const leave = (stranger: Stranger) => {
    const others = byAddress.get(stranger.address)
    if (!others?.delete(stranger)) return
    count--
    if (others.size === 0) byAddress.delete(stranger.address)
  }
  const cutOldest = (of: ReadonlySet<Stranger> | undefined): boolean => {
    const [oldest] = of ?? []
    if (!oldest) return false
    leave(oldest)
    oldest.cut()
    return true
  }
  const cutOne = () => {
    let largest: ReadonlySet<Stranger> | undefined
    for (const some of byAddress.values()) if (some.size > (largest?.size ?? 0)) largest = some
    return cutOldest(largest)
  }
  return {
    add(stranger) {
      const others = byAddress.get(stranger.address)
      if ((others?.size ?? 0) >= mostOfAddress) cutOldest(others)
      else if (count >= most) cutOne()
      const known = byAddress.get(stranger.address) ?? new Set()
      byAddress.set(stranger.address, known.add(stranger))
      count++
      return () => leave(stranger)
    },
    cutOne,
    get count() {
      return count
    },
  }
}
