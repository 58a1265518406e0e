import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import type { RecordedRequest } from '@hermes/testing'
import { mcpStandIn } from '@hermes/testing/mcp-server/stand-in.ts'
import { runHermes, scriptedConfig, startHermes } from './run-hermes.ts'

const config = `mcp_servers: ${JSON.stringify({ odd: mcpStandIn() })}\ntools: {search: never}\n`

function resultsOf({ body }: RecordedRequest): string[] {
  return (body.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content))
}

/** Waits until none of the processes runs. */
async function ended(pids: readonly number[]): Promise<void> {
  const isRunning = async (pid: number) => {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    return state !== '' && !/\) [ZX] /.test(state)
  }
  while ((await Promise.all(pids.map(isRunning))).includes(true)) await wait(20)
}

test('a task of the built command uses a server, and leaves none behind', { timeout: 120_000 }, async () => {
  let family = ''
  await using model = await startScriptedModel((request) => {
    const [result] = resultsOf(request)
    if (result === undefined) return { toolCalls: [{ name: 'mcp_odd_family', arguments: {} }] }
    family = result
    return { text: 'Done.' }
  })
  await using home = await temporaryHome(scriptedConfig(model.url, config))
  const { code, stdout, stderr } = await runHermes(['-q', '-t', 'Go.'], home.environment, { cwd: home.dir })
  assert.deepEqual([code, stdout.trim()], [0, 'Done.'], stderr)
  const pids = (family.match(/\d+ \d+/)?.[0] ?? '').split(' ').map(Number)
  assert.equal(pids.length, 2)
  await ended(pids)
})

test('a server ends with Hermes, however Hermes is ended', { timeout: 120_000 }, async () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    const hanging = Promise.withResolvers<string>()
    await using model = await startScriptedModel((request) => {
      const [result] = resultsOf(request)
      if (result === undefined) return { toolCalls: [{ name: 'mcp_odd_family', arguments: {} }] }
      hanging.resolve(result)
      return { toolCalls: [{ name: 'mcp_odd_hang', arguments: {} }] }
    })
    await using home = await temporaryHome(scriptedConfig(model.url, config))
    const running = startHermes(['-q', '-t', 'Go.'], home.environment, { cwd: home.dir })
    const family = await hanging.promise
    const [server = 0, child = 0] = (family.match(/\d+ \d+/)?.[0] ?? '').split(' ').map(Number)
    running.kill(signal)
    await running.ended
    // What a server has started itself outlives a KILL of Hermes, which has no time left to end it.
    await ended(signal === 'SIGKILL' ? [server] : [server, child])
    if (signal === 'SIGKILL') process.kill(child, 'SIGKILL')
  }
})
