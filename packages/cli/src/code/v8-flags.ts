/** A flag of V8. */
export interface V8Flag {
  /** e.g. `--heap-growing-percent`. */
  readonly name: `--${string}`
  readonly value: number | boolean
  /** What it is in this process before it is set: V8's own, or what the entry has chosen. */
  readonly usual: number | boolean
  /** V8's own, where the usual one is another. */
  readonly own?: number | boolean
}

/** Flags of V8 that are set while the process runs. V8 takes no compiled code that was kept under other ones. */
export interface V8Flags {
  /** Whether the process has started with resting compilers (`resting-compilers.ts`). */
  readonly areCompilersResting: boolean
  /** They hold from now on; those set before do, too. */
  set(flags: readonly V8Flag[]): void
  /** Does `work`, which does not wait, as if none had been set: what this program keeps is compiled so. */
  usually<T>(work: () => T): T
  /** Does it with V8's own of those that were set: what Node has kept of its own modules was compiled so. */
  natively<T>(work: () => T): T
}

export function createV8Flags(areCompilersResting = false): V8Flags {
  const held = new Map<string, V8Flag>()
  const apply = (valueOf: (flag: V8Flag) => V8Flag['value']) => {
    const { setFlagsFromString } = process.getBuiltinModule('node:v8')
    for (const flag of held.values()) setFlagsFromString(written(flag, valueOf(flag)))
  }
  function under<T>(valueOf: (flag: V8Flag) => V8Flag['value'], work: () => T): T {
    if (held.size === 0) return work()
    apply(valueOf)
    try {
      return work()
    } finally {
      apply(({ value }) => value)
    }
  }
  return {
    areCompilersResting,
    set(flags) {
      for (const flag of flags) held.set(flag.name, flag)
      apply(({ value }) => value)
    },
    usually: (work) => under(({ usual }) => usual, work),
    natively: (work) => under(({ usual, own = usual }) => own, work),
  }
}

function written({ name }: V8Flag, value: V8Flag['value']): string {
  if (typeof value === 'number') return `${name}=${value}`
  return value ? name : name.replace('--', '--no-')
}
