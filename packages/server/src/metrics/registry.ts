/** Values of a metric's labels, by name. */
export type Labels = Readonly<Record<string, string>>

/** What is counted, measured or spread out. Names and units as https://prometheus.io/docs/practices/naming/ has them. */
export interface MetricOptions {
  readonly name: string
  readonly help: string
}

export interface Counter {
  add(labels?: Labels, amount?: number): void
}

export interface Gauge {
  set(value: number, labels?: Labels): void
  add(amount: number, labels?: Labels): void
  /** Forgets all values, so that what is gone is not told any more. */
  clear(): void
}

export interface Histogram {
  observe(value: number, labels?: Labels): void
}

export interface HistogramOptions extends MetricOptions {
  /** Upper bounds, rising. */
  readonly buckets: readonly number[]
}

/** Metrics of this process. */
export interface Registry {
  readonly counter: (options: MetricOptions) => Counter
  readonly gauge: (options: MetricOptions) => Gauge
  readonly histogram: (options: HistogramOptions) => Histogram
  /** All of them in the text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */
  text(): string
}

export const textFormat = 'text/plain; version=0.0.4; charset=utf-8'

/** Sets of label values that one metric has at most: names of tools and models come from outside. */
const maxSeries = 200

const other = 'other'

export function createRegistry(): Registry {
  const metrics: (() => string)[] = []
  const add = (type: string, { name, help }: MetricOptions, samples: () => readonly string[]) => {
    const head = `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`
    metrics.push(() => head + samples().join(''))
  }
  return {
    counter(options) {
      const series = createSeries(() => 0)
      add('counter', options, () => series.all().map(([labels, value]) => sample(options.name, labels, value)))
      return { add: (labels = {}, amount = 1) => series.change(labels, (value) => value + amount) }
    },
    gauge(options) {
      const series = createSeries(() => 0)
      add('gauge', options, () => series.all().map(([labels, value]) => sample(options.name, labels, value)))
      return {
        set: (value, labels = {}) => series.change(labels, () => value),
        add: (amount, labels = {}) => series.change(labels, (value) => value + amount),
        clear: () => series.clear(),
      }
    },
    histogram(options) {
      const { name, buckets } = options
      const series = createSeries((): Spread => ({ counts: buckets.map(() => 0), sum: 0, count: 0 }))
      add('histogram', options, () =>
        series.all().flatMap(([labels, one]) => spreadSamples(name, labels, buckets, one)),
      )
      return {
        observe(value, labels = {}) {
          series.change(labels, (one) => {
            for (const [at, bound] of buckets.entries()) if (value <= bound) one.counts[at] = (one.counts[at] ?? 0) + 1
            one.sum += value
            one.count++
            return one
          })
        },
      }
    },
    text: () => metrics.map((metric) => metric()).join(''),
  }
}

interface Spread {
  /** Up to each bound, those below included. */
  readonly counts: number[]
  sum: number
  count: number
}

/** Values by the labels that they belong to, a bounded number of them; the rest share one. */
function createSeries<Value>(first: () => Value) {
  const values = new Map<string, { readonly labels: Labels; value: Value }>()
  return {
    change(labels: Labels, next: (value: Value) => Value) {
      const key = JSON.stringify(labels)
      const known = values.get(key)
      if (known) known.value = next(known.value)
      else if (values.size < maxSeries) values.set(key, { labels, value: next(first()) })
      else {
        const shared = Object.fromEntries(Object.keys(labels).map((name) => [name, other]))
        const rest = JSON.stringify(shared)
        values.set(rest, { labels: shared, value: next(values.get(rest)?.value ?? first()) })
      }
    },
    clear: () => values.clear(),
    all: (): readonly (readonly [Labels, Value])[] => [...values.values()].map(({ labels, value }) => [labels, value]),
  }
}

function spreadSamples(name: string, labels: Labels, buckets: readonly number[], spread: Spread): readonly string[] {
  const bounds = buckets.map((bound, at) =>
    sample(`${name}_bucket`, { ...labels, le: String(bound) }, spread.counts[at] ?? 0),
  )
  return [
    ...bounds,
    sample(`${name}_bucket`, { ...labels, le: '+Inf' }, spread.count),
    sample(`${name}_sum`, labels, spread.sum),
    sample(`${name}_count`, labels, spread.count),
  ]
}

function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text).replaceAll('"', '\\"')}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberText(value)}\n`
}

function escaped(text: string): string {
  return text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'
}
