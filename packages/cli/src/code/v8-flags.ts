/** A flag of V8, and the value that it has by itself. */
export interface V8Flag {
  /** e.g. `--heap-growing-percent`. */
  readonly name: `--${string}`
  readonly value: number | boolean
  readonly usual: number | boolean
}

/** Flags of V8 that are set while the process runs. */
export interface V8Flags {
  /** They hold from now on; those set before do, too. */
  set(flags: readonly V8Flag[]): void
  /** Does `work`, which does not wait, as if none had been set: V8 takes no compiled code that was kept under other ones. */
  usually<T>(work: () => T): T
}

export function createV8Flags(): V8Flags {
  const held = new Map<string, V8Flag>()
  const apply = (valueOf: (flag: V8Flag) => V8Flag['value']) => {
    const { setFlagsFromString } = process.getBuiltinModule('node:v8')
    for (const flag of held.values()) setFlagsFromString(written(flag, valueOf(flag)))
  }
  return {
    set(flags) {
      for (const flag of flags) held.set(flag.name, flag)
      apply(({ value }) => value)
    },
    usually(work) {
      if (held.size === 0) return work()
      apply(({ usual }) => usual)
      try {
        return work()
      } finally {
        apply(({ value }) => value)
      }
    },
  }
}

function written({ name }: V8Flag, value: V8Flag['value']): string {
  if (typeof value === 'number') return `${name}=${value}`
  return value ? name : name.replace('--', '--no-')
}
