import type { Script } from './syntax.ts'

/** Stands in a text for what is only known when the command runs. */
export const unknown = '\ue000'
/** Stands for the path of a file that `mktemp` makes. */
export const temporary = '\ue001'

/** Stands for the ids of processes that were found by their name, or of Hermes itself. */
export const processIds = '\ue002'

/** One argument after expansion. */
export interface Field {
  readonly text: string
  /** An unquoted value that is not known: it may turn out to be several words, or none. */
  readonly isOpen: boolean
  /** Unquoted `*`, `?` or `[`: it stands for the names of files. */
  readonly isGlob: boolean
  /** Of `<(…)`: what runs. */
  readonly process?: Script
}

export function field(text: string): Field {
  return { text, isOpen: false, isGlob: false }
}

/** Whether a text is nothing but what will be there when the command runs. */
export function isKnown(text: string): boolean {
  return !/[\ue000-\ue002]/.test(text)
}

/** Whether some of a text is only decided when the command runs. */
export function isDynamic(text: string): boolean {
  return text.includes(unknown) || text.includes(processIds)
}

/** Combinations of one choice from each list, but no more than `most`. */
export function combinations<T>(choices: readonly (readonly T[])[], most: number): T[][] {
  let all: T[][] = [[]]
  for (const options of choices) {
    const [only, ...others] = options
    if (only !== undefined && others.length === 0) for (const chosen of all) chosen.push(only)
    else all = all.flatMap((chosen) => options.map((option) => [...chosen, option])).slice(0, most)
  }
  return all
}
