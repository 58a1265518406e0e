import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSchema } from '@hermes/core/config/schema.ts'
import { chatDisplay } from './chat-display.ts'
import { createProgressLines } from './progress-lines.ts'

const display = (platform: string, settings: object = {}) => chatDisplay(configSchema.parse(settings), platform)

test('platforms show what suits them, and what their person sets', () => {
  assert.equal(display('slack').toolProgress, 'new')
  assert.equal(display('sms').toolProgress, 'off')
  assert.equal(display('telegram').streaming, false)
  const settings = {
    streaming: { enabled: true },
    display: {
      tool_progress_overrides: { slack: 'all', matrix: 'verbose' },
      platforms: { slack: { tool_progress: false, show_reasoning: 'yes', tool_preview_length: 12, streaming: 'off' } },
    },
  }
  assert.deepEqual(display('slack', settings), {
    toolProgress: 'off',
    previewLength: 12,
    showReasoning: true,
    streaming: false,
    interim: true,
    maxMessages: 10,
  })
  assert.equal(display('matrix', settings).toolProgress, 'verbose')
  assert.equal(display('telegram', settings).streaming, true)
  assert.equal(display('sms', settings).streaming, false)
  assert.equal(display('telegram', { streaming: { enabled: true, transport: 'off' } }).streaming, false)
})

test('tool calls become lines: the same again is counted, kinds are told once where that is asked for', () => {
  const call = (name: string, preview = '') => ({ name, preview, args: { a: preview } })
  const all = createProgressLines({ ...display('telegram'), previewLength: 10 })
  for (const one of [call('terminal', 'ls'), call('terminal', 'ls'), call('read_file', 'a very long path')])
    all.add(one)
  assert.equal(all.text({ maxLength: 4_000 }), '⚙️ terminal: "ls" (×2)\n⚙️ read_file: "a very lo…"')
  const kinds = createProgressLines(display('slack'))
  assert.deepEqual(
    [call('terminal', 'a'), call('terminal', 'b'), call('todo'), call('terminal', 'c')].map((one) => kinds.add(one)),
    [true, false, true, true],
  )
  assert.equal(createProgressLines(display('sms')).add(call('terminal')), false)
  const verbose = createProgressLines(display('telegram', { display: { tool_progress: 'verbose' } }))
  verbose.add(call('terminal', 'x'))
  assert.equal(verbose.text({ maxLength: 4_000 }), '⚙️ terminal: {"a":"x"}')
})
