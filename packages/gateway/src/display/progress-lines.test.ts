import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSchema } from '@hermes/core/config/schema.ts'
import { chatDisplay } from './chat-display.ts'
import { createProgressLines } from './progress-lines.ts'

test('many or long tool calls are shown as far as one message of the platform takes them, the latest first', () => {
  for (const mode of ['all', 'verbose']) {
    const lines = createProgressLines(chatDisplay(configSchema.parse({ display: { tool_progress: mode } }), 'discord'))
    for (let n = 0; n < 60; n++) {
      const command = `${n} ${'word '.repeat(200)}`
      assert.ok(lines.add({ name: `terminal_of_a_long_name_${n}`, preview: command, args: { command } }))
      const text = lines.text({ maxLength: 2_000 })
      assert.ok(text.length <= 2_000, `${text.length} characters of ${mode}`)
      assert.match(text, new RegExp(`_${n}: .*$`))
    }
  }
  const one = createProgressLines(chatDisplay(configSchema.parse({}), 'telegram'))
  one.add({ name: 'x'.repeat(5_000), preview: '', args: {} })
  assert.ok(one.text({ maxLength: 100 }).length <= 100)
})
