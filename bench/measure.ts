/** One row of the report: what was measured, as a ratio to its floor, against what we aim for. */
export interface Row {
  readonly name: string
  /** Median of the thing measured, in `unit`. */
  readonly value: number
  readonly unit: string
  /** The least that the same work costs, measured in the same run, in `unit`. */
  readonly floor?: number
  /** What the floor is, e.g. `node -e 0`. */
  readonly floorName?: string
  /** Largest ratio (or smallest, where more is better), or largest value where there is no floor. */
  readonly goal?: {
    readonly ratioAtMost?: number
    readonly ratioAtLeast?: number
    readonly atMost?: number
    readonly atLeast?: number
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const high = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? high : (high + (sorted[middle - 1] ?? high)) / 2
}

/** The value that so large a part of them does not pass: 0.99 for the 99th percentile. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/**
 * Medians of several things measured in turns, so that a slow spell of the machine falls on all of them alike. Each
 * function does its work once and resolves to its own figure; the first round only warms up.
 */
export async function interleaved<Name extends string>(
  rounds: number,
  work: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number>> {
  // Object.entries loses the key type that the record has.
  const entries = Object.entries(work) as [Name, () => Promise<number>][]
  const figures = new Map<Name, number[]>(entries.map(([name]) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of entries) {
      const figure = await run()
      if (round > 0) figures.get(name)?.push(figure)
    }
  }
  return Object.fromEntries(entries.map(([name]) => [name, median(figures.get(name) ?? [])])) as Record<Name, number>
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

/** Whether a row reaches its goal; undefined where it has none. */
export function reached({ value, floor, goal }: Row): boolean | undefined {
  if (!goal) return undefined
  const ratio = floor === undefined ? undefined : value / floor
  return (
    (goal.atMost === undefined || value <= goal.atMost) &&
    (goal.atLeast === undefined || value >= goal.atLeast) &&
    (goal.ratioAtMost === undefined || (ratio !== undefined && ratio <= goal.ratioAtMost)) &&
    (goal.ratioAtLeast === undefined || (ratio !== undefined && ratio >= goal.ratioAtLeast))
  )
}

/** The rows as an aligned table. */
export function report(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    `${figure(row.value)} ${row.unit}`,
    row.floor === undefined ? '' : `${(row.value / row.floor).toFixed(2)} ×`,
    row.floor === undefined ? '' : `${row.floorName}: ${figure(row.floor)} ${row.unit}`,
    goalText(row),
    { true: 'reached', false: 'MISSED', undefined: '' }[String(reached(row))] ?? '',
  ])
  const lines = [['what', 'measured', 'ratio', 'floor', 'goal', ''], ...cells]
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function figure(value: number): string {
  if (value >= 1000) return String(Math.round(value))
  return value >= 10 ? value.toFixed(1) : value.toFixed(3)
}

function goalText({ goal, unit }: Row): string {
  if (!goal) return ''
  return [
    goal.ratioAtMost !== undefined && `≤ ${goal.ratioAtMost} ×`,
    goal.ratioAtLeast !== undefined && `≥ ${goal.ratioAtLeast} ×`,
    goal.atMost !== undefined && `≤ ${goal.atMost} ${unit}`,
    goal.atLeast !== undefined && `≥ ${goal.atLeast} ${unit}`,
  ]
    .filter(Boolean)
    .join(', ')
}
