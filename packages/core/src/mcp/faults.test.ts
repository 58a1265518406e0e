import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { mcpStandIn } from '@hermes/testing/mcp-server/stand-in.ts'
import { scriptedCalls } from '@hermes/testing/mcp-server/scripted-calls.ts'

// A server that misbehaves, used by turns whose model is scripted.

const servers = (more: object = {}, mode?: Parameters<typeof mcpStandIn>[0]) => ({
  odd: { ...mcpStandIn(mode), ...more },
})

/** Whether it runs; what has ended and only waits to be counted as dead does not. */
async function isRunning(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return state !== '' && !/\) [ZX] /.test(state)
}

/** Waits until none of them runs. */
async function ended(pids: readonly number[]): Promise<void> {
  for (;;) {
    const running = await Promise.all(pids.map(isRunning))
    if (!running.includes(true)) return
    await setImmediate()
  }
}

test('a server that dies in the middle of a call is an error for the model, and is started again for the next call', async () => {
  await using chat = await scriptedCalls({ servers: servers() })
  const die = { name: 'mcp_odd_die', args: {} }
  const echo = { name: 'mcp_odd_echo', args: { text: 'back' } }
  const [died, again, diedAgain, atOnce] = await chat.turn([die, echo, die, echo])
  assert.match(died ?? '', /^error .*cannot be reached/)
  assert.match(again ?? '', /^ok .*back/)
  assert.match(diedAgain ?? '', /^error .*cannot be reached/)
  assert.match(atOnce ?? '', /^error .*tried again in 1 s/, 'one that keeps dying is left alone for a while')
})

test('a server that hangs holds a call up no longer than its timeout', async () => {
  await using chat = await scriptedCalls({ servers: servers({ timeout: 2 }) })
  const [hung, next] = await chat.turn([
    { name: 'mcp_odd_hang', args: {} },
    { name: 'mcp_odd_echo', args: { text: 'next' } },
  ])
  assert.match(hung ?? '', /^error .*did not answer within 2 s.*mcp_servers\.odd\.timeout/)
  assert.match(next ?? '', /^ok .*next/)
})

test('stopping the turn ends the call at once', async () => {
  await using chat = await scriptedCalls({ servers: servers() })
  const stop = new AbortController()
  const results = await chat.turn([{ name: 'mcp_odd_hang', args: {} }], {
    signal: stop.signal,
    onStart: () => stop.abort(new DOMException('stopped', 'AbortError')),
  })
  assert.match(results[0] ?? '', /^cancelled /)
})

test('a server that does not come up is left out within its time, with the reason in the log', async () => {
  await using chat = await scriptedCalls({ servers: servers({ connect_timeout: 0.3 }, 'hang-at-start') })
  assert.deepEqual(await chat.toolNames(), [])
  assert.match(await chat.log(), /did not come up within 0\.3 s/)
})

test('what a server wrote before it died is told, without credentials', async () => {
  await using chat = await scriptedCalls({ servers: servers({}, 'die-at-start') })
  assert.deepEqual(await chat.toolNames(), [])
  const log = await chat.log()
  assert.match(log, /the configuration is missing/)
  assert.ok(!log.includes('abcdefgh'), log)
  const kept = await readFile(chat.home.path('logs', 'mcp-stderr.log'), 'utf8')
  assert.match(kept, /\[odd\] the configuration is missing/)
})

test('lines that are no messages are passed over', async () => {
  await using chat = await scriptedCalls({ servers: servers() })
  const [result] = await chat.turn([{ name: 'mcp_odd_garbage', args: {} }])
  assert.match(result ?? '', /^ok .*still here/)
})

test('a long result is kept in a file; one past the limit of a message is an error, and the server stays', async () => {
  await using chat = await scriptedCalls({ servers: servers() })
  const [long, endless, after] = await chat.turn([
    { name: 'mcp_odd_huge', args: { chars: 300_000 } },
    { name: 'mcp_odd_huge', args: { chars: 20 * 1024 * 1024 } },
    { name: 'mcp_odd_echo', args: { text: 'after' } },
  ])
  assert.match(long ?? '', /^ok <persisted-output>/)
  assert.ok((long ?? '').length < 5_000)
  assert.match(endless ?? '', /^error .*larger than 16 MB/)
  assert.match(after ?? '', /^ok .*after/)
})

test('a storm of changed lists costs one look at the list; new tools are there in the next turn', async () => {
  await using chat = await scriptedCalls({ servers: servers() })
  const [stormed, grown] = await chat.turn([
    { name: 'mcp_odd_storm', args: { count: 2_000 } },
    { name: 'mcp_odd_grow', args: {} },
  ])
  assert.match(stormed ?? '', /^ok .*stormed/)
  assert.match(grown ?? '', /^ok /)
  assert.ok((await chat.toolNames()).includes('mcp_odd_extra'))
})

test('a server that floods is ended', async () => {
  await using chat = await scriptedCalls({ servers: servers({ timeout: 100 }) })
  const [flooded] = await chat.turn([{ name: 'mcp_odd_flood', args: {} }])
  assert.match(flooded ?? '', /^error .*cannot be reached/)
})

test('credentials in what a server says of an error are not passed on', async () => {
  await using chat = await scriptedCalls({ servers: servers() })
  const results = await chat.turn([
    { name: 'mcp_odd_leak', args: {} },
    { name: 'mcp_odd_secret_error', args: {} },
  ])
  for (const result of results) {
    assert.match(result, /^error /)
    assert.doesNotMatch(result, /ghp_|abc\.def|hunter2|sk-live/)
  }
})

test('a server gets no more of the environment than it needs', async () => {
  const environment = { OPENAI_API_KEY: 'made-up-openai-key', XDG_DATA_HOME: '/data' }
  await using chat = await scriptedCalls({ servers: servers({ env: { OWN: 'yes' } }), environment })
  const [result] = await chat.turn([{ name: 'mcp_odd_environment', args: {} }])
  const { result: text } = JSON.parse((result ?? '').replace('ok ', '')) as { result: string }
  const seen = JSON.parse(text) as Record<string, string>
  assert.equal(seen['OWN'], 'yes')
  assert.equal(seen['XDG_DATA_HOME'], '/data')
  assert.equal(seen['HERMES_HOME'], undefined)
  assert.equal(seen['OPENAI_API_KEY'], undefined)
})

test(
  'closing the profile ends a server and what it started, also one that does not want to',
  { timeout: 120_000 },
  async () => {
    for (const mode of [undefined, 'stubborn'] as const) {
      const chat = await scriptedCalls({ servers: servers({}, mode) })
      const [family] = await chat.turn([{ name: 'mcp_odd_family', args: {} }])
      const pids = (family?.match(/\d+ \d+/)?.[0] ?? '').split(' ').map(Number)
      assert.equal(pids.length, 2)
      assert.deepEqual(await Promise.all(pids.map(isRunning)), [true, true])
      await chat[Symbol.asyncDispose]()
      await ended(pids)
    }
  },
)

test('two sessions use one connection at once', async () => {
  await using chat = await scriptedCalls({ servers: servers() })
  const both = await Promise.all(
    ['one', 'two'].map((session) => chat.turn([{ name: 'mcp_odd_family', args: {} }], { session })),
  )
  const pids = both.map(([result]) => /"(\d+) /.exec(result ?? '')?.[1])
  assert.ok(pids[0])
  assert.equal(pids[0], pids[1])
})

test('tools that destroy, by what they say or are called, are asked about; those that only read are not', async () => {
  await using chat = await scriptedCalls({ servers: servers() })
  const [deleted, nothing] = await chat.turn([
    { name: 'mcp_odd_delete_all', args: {} },
    { name: 'mcp_odd_delete_nothing', args: {} },
  ])
  assert.match(deleted ?? '', /^denied /)
  assert.match(nothing ?? '', /^ok /)
})

test('include and exclude lists and switched off servers keep tools from the model', async () => {
  const cases = [
    [
      { tools: { include: ['echo', 'd*'] } },
      ['mcp_odd_delete_all', 'mcp_odd_delete_nothing', 'mcp_odd_die', 'mcp_odd_echo'],
    ],
    [{ tools: { include: 'echo', exclude: 'echo' } }, ['mcp_odd_echo']],
    [{ enabled: false }, []],
  ] as const
  for (const [more, expected] of cases) {
    await using chat = await scriptedCalls({ servers: servers(more) })
    assert.deepEqual(await chat.toolNames(), expected)
  }
})

test('reloading connects anew and tells how the servers stand', async () => {
  await using chat = await scriptedCalls({ servers: { ...servers(), gone: { command: '/nowhere/at-all' } } })
  await chat.toolNames()
  const statuses = (await chat.context.mcp?.reload(new AbortController().signal)) ?? []
  const by = new Map(statuses.map((status) => [status.name, status]))
  assert.equal(by.get('odd')?.isConnected, true)
  assert.equal(by.get('gone')?.isConnected, false)
  assert.match(by.get('gone')?.problem ?? '', /no such program/)
})
