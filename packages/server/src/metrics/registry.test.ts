import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { readMetrics } from './read-metrics.ts'
import { createRegistry } from './registry.ts'

test('counters and gauges are written as Prometheus reads them', () => {
  const registry = createRegistry()
  const calls = registry.counter({ name: 'calls_total', help: 'Calls,\nall of them.' })
  const level = registry.gauge({ name: 'level', help: 'How high.' })
  calls.add({ tool: 'a "quoted" \\ name\n' })
  calls.add({ tool: 'b' }, 2)
  calls.add({ tool: 'b' })
  level.set(7)
  level.add(-0.5)
  assert.equal(
    registry.text(),
    [
      '# HELP calls_total Calls,\\nall of them.',
      '# TYPE calls_total counter',
      'calls_total{tool="a \\"quoted\\" \\\\ name\\n"} 1',
      'calls_total{tool="b"} 3',
      '# HELP level How high.',
      '# TYPE level gauge',
      'level 6.5',
      '',
    ].join('\n'),
  )
})

test('a histogram counts each value once, in every bucket that it fits into', () => {
  const bounds = [0.1, 1, 10]
  const values = fc.array(fc.double({ min: 0, max: 20, noNaN: true }), { maxLength: 50 })
  fc.assert(
    fc.property(values, (seconds) => {
      const registry = createRegistry()
      const time = registry.histogram({ name: 'time', help: 'Time.', buckets: bounds })
      for (const one of seconds) time.observe(one, { a: 'x' })
      const samples = readMetrics(registry.text())
      if (seconds.length === 0) return
      for (const bound of bounds) {
        const fits = seconds.filter((one) => one <= bound).length
        assert.equal(samples.get(`time_bucket{a="x",le="${bound}"}`), fits)
      }
      assert.equal(samples.get('time_bucket{a="x",le="+Inf"}'), seconds.length)
      assert.equal(samples.get('time_count{a="x"}'), seconds.length)
    }),
  )
})

test('whatever labels say, the text can be read', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 20 }), (names) => {
      const registry = createRegistry()
      const count = registry.counter({ name: 'c_total', help: 'Count.' })
      for (const name of names) count.add({ name })
      const total = [...readMetrics(registry.text()).values()].reduce((sum, value) => sum + value, 0)
      assert.equal(total, names.length)
    }),
  )
})

test('names without end become one series more, and nothing is lost', () => {
  const registry = createRegistry()
  const count = registry.counter({ name: 'c_total', help: 'Count.' })
  for (let index = 0; index < 1000; index++) count.add({ tool: `tool-${index}`, status: 'ok' })
  count.add({ tool: 'tool-3', status: 'ok' })
  const samples = readMetrics(registry.text())
  assert.equal(samples.size, 201)
  assert.equal(samples.get('c_total{tool="tool-3",status="ok"}'), 2)
  assert.equal(samples.get('c_total{tool="other",status="other"}'), 800)
})
