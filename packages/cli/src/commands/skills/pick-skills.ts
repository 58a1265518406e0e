import { createInterface } from 'node:readline'
import type { SkillEntry } from '@hermes/core/skills/catalogue.ts'
import type { Cli } from '../../command.ts'
import { columnLines } from '../sessions/columns.ts'

export interface SkillChoice {
  readonly skills: readonly SkillEntry[]
  readonly off: readonly string[]
  readonly platform: string | undefined
}

/**
 * Lets a person switch skills on and off by their numbers, until an empty line saves. Resolves to the names that are off,
 * or undefined where they left without saving.
 */
export async function pickSkills(
  { skills, off, platform }: SkillChoice,
  cli: Cli,
): Promise<readonly string[] | undefined> {
  const chosen = new Set(off)
  const question = `Numbers, names or a category to switch${platform === undefined ? '' : ` on ${platform}`}; empty saves, q leaves: `
  const ask = (): void => void cli.stdout.write(`${table(skills, chosen, cli).join('\n')}\n${question}`)
  const lines = createInterface({ input: cli.stdin, signal: cli.signal })
  try {
    ask()
    for await (const line of lines) {
      const answer = line.trim()
      if (answer === '') return [...chosen].sort()
      if (answer === 'q') return undefined
      for (const word of answer.split(/[\s,]+/)) {
        const meant = meantBy(word, skills)
        if (meant.length === 0) cli.stdout.write(`There is no "${word}".\n`)
        for (const name of meant) {
          if (!chosen.delete(name)) chosen.add(name)
        }
      }
      ask()
    }
    return undefined
  } finally {
    lines.close()
  }
}

/** Names that a number (from 1), a range (`3-7`), a name or a category means. */
export function meantBy(word: string, skills: readonly Pick<SkillEntry, 'name' | 'category'>[]): string[] {
  const range = /^(\d+)(?:-(\d+))?$/.exec(word)
  if (range) {
    const first = Number(range[1])
    return skills.slice(first - 1, range[2] ? Number(range[2]) : first).map(({ name }) => name)
  }
  const named = skills.filter(({ name }) => name === word)
  return (named.length > 0 ? named : skills.filter(({ category }) => category === word)).map(({ name }) => name)
}

function table(skills: readonly SkillEntry[], off: ReadonlySet<string>, cli: Cli): string[] {
  const rows = skills.map(({ name, category, description }, index) => {
    return [String(index + 1), off.has(name) ? 'off' : 'on', name, category, description]
  })
  const columns = [
    { heading: '#' },
    { heading: '' },
    { heading: 'Skill', most: 28 },
    { heading: 'Category', most: 22 },
    { heading: 'Description', isFlexible: true },
  ]
  return columnLines(columns, rows, cli.stdout.columns)
}
