import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { silentLogger } from '../log/logger.ts'
import type { LogFields, Logger } from '../log/logger.ts'
import { testContext } from '../tools/test-context.ts'
import { defineTool } from '../tools/tool.ts'
import { runCall } from './tool-call.ts'

/** Keeps the names under which something is said, and what. */
function namedLines() {
  const lines: string[] = []
  const loggerWith = (common: LogFields): Logger => {
    const at = (fields: LogFields, message: string) => {
      lines.push(`${String({ ...common, ...fields }['name'])}: ${message}`)
    }
    return { ...silentLogger, info: at, warn: at, child: (fields) => loggerWith({ ...common, ...fields }) }
  }
  return { lines, log: loggerWith({ name: 'agent' }) }
}

test('what a tool says in the log, and that it broke, stands under its name', async () => {
  await using all = await testContext()
  const { lines, log } = namedLines()
  const tool = defineTool({
    name: 'break_it',
    toolset: 'test',
    description: 'Breaks.',
    input: z.object({}),
    concurrency: 'parallel',
    preview: () => '',
    async run(_args, { agent }) {
      agent.log.info({}, 'about to break')
      throw new Error('broken')
    },
  })
  const call = { id: 'c1', name: 'break_it', arguments: '{}' }
  const context = { ...all.context, agent: { ...all.context.agent, log } }
  const result = await runCall({ ok: true, call, tool, args: {} }, context)
  assert.equal(result.status, 'error')
  assert.deepEqual(lines, ['tools.break_it: about to break', 'tools.break_it: tool failed'])
})
