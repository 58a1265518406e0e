import assert from 'node:assert/strict'
import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { openTestGateway } from '../test-gateway.ts'
import { findChannel, readChannels, unlisted } from './channel-directory.ts'
import { homeChannel } from './home-channel.ts'
import { createUpstreamIndexWriter } from './upstream-index.ts'

async function open(environment = 'TEST_HOME_CHANNEL=7', config = '') {
  const all = await startScriptedAgent({
    script: (request) => ({
      text: request.body.tools
        ? `${(request.body.messages ?? []).filter(({ role }) => role === 'user').length} messages`
        : 'T',
    }),
    config: `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n${config}`,
    home: { '.env': `TEST_ALLOW_ALL_USERS=true\n${environment}\n` },
  })
  return openTestGateway(all)
}

test('the other program finds our chats, and we go on where it has got to', async () => {
  await using all = await open()
  await all.say('one', { source: { chatName: 'Ann’s chat' } })
  await all.restart()
  const path = all.all.home.path('sessions', 'sessions.json')
  const index = JSON.parse(await readFile(path, 'utf8'))
  const key = 'agent:main:test:dm:7'
  const { session_id: sessionId, origin, updated_at: updated } = index[key]
  assert.match(sessionId, /^\d{8}_\d{6}_[0-9a-f]{6}$/)
  assert.match(updated, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/)
  assert.deepEqual([origin.platform, origin.chat_id, origin.chat_type, origin.user_id], ['test', '7', 'dm', '7'])
  assert.equal(await all.say('two'), '2 messages')
  await all.gateway[Symbol.asyncDispose]()
  // The other program begins a new session in this chat, and knows a chat of its own.
  const later = '2099-01-01T10:00:00.123456'
  const theirs = { ...index[key], session_id: '20990101_100000_abcdef01', updated_at: later, last_prompt_tokens: 5 }
  const strange = { session_key: 'x', platform: 'nowhere' }
  await mkdir(all.all.home.path('sessions'), { recursive: true })
  await writeFile(path, JSON.stringify({ ...index, [key]: theirs, x: strange }))
  await all.restart()
  assert.match(await all.say('/status'), /20990101_100000_abcdef01/)
  assert.equal(await all.say('three'), '1 messages')
  await all.restart()
  const again = JSON.parse(await readFile(path, 'utf8'))
  assert.deepEqual(again.x, strange)
  assert.equal(again[key].last_prompt_tokens, 5)
})

test('a chat goes on with what an older home has kept of it in a file alone, taken over once', async () => {
  await using all = await open()
  const { home } = all.all
  await all.say('one')
  await all.gateway[Symbol.asyncDispose]()
  const path = home.path('sessions', 'sessions.json')
  const index = JSON.parse(await readFile(path, 'utf8'))
  const key = 'agent:main:test:dm:7'
  const id = '20990101_100000_abcdef01'
  const theirs = { ...index[key], session_id: id, updated_at: '2099-01-01T10:00:00' }
  await writeFile(path, JSON.stringify({ [key]: theirs, outside: { ...theirs, session_id: '../config' } }))
  const said = [
    { role: 'session_meta', model: 'm', platform: 'test' },
    { role: 'user', content: 'My name is Ann.', timestamp: '2026-01-01T10:00:00' },
    { role: 'assistant', content: 'Hello Ann.', timestamp: '2026-01-01T10:00:02' },
  ]
  const file = home.path('sessions', `${id}.jsonl`)
  const text = `${said.map((line) => JSON.stringify(line)).join('\n')}\n{"role": "user", "con`
  await writeFile(file, text)
  await all.restart()
  assert.match(await all.say('/status'), new RegExp(id))
  assert.equal(await all.say('who am I?'), '2 messages')
  const asked = all.all.model.requests.findLast(({ body }) => body.tools !== undefined)
  assert.match(JSON.stringify(asked?.body.messages), /My name is Ann\..*Hello Ann\..*who am I\?/)
  await all.restart()
  assert.equal(await all.say('and now?'), '3 messages')
  assert.equal((await all.all.context.sessions.get(id))?.messageCount, 6)
  assert.equal(await readFile(file, 'utf8'), text)
  await all.gateway[Symbol.asyncDispose]()
  await all.all.context[Symbol.asyncDispose]()
  const log = await readFile(home.path('logs', 'agent.log'), 'utf8')
  assert.match(log, /lines of an older conversation cannot be read/)
})

test('what cannot be read of the other program keeps no chat from being answered', async () => {
  await using all = await open()
  await all.say('one')
  await all.gateway[Symbol.asyncDispose]()
  const path = all.all.home.path('sessions', 'sessions.json')
  await rm(path)
  await mkdir(path)
  await all.restart()
  assert.equal(await all.say('two'), '2 messages')
})

test('what others write between two of our writes stays, and the file reads as if it were written whole', async () => {
  await using all = await startScriptedAgent({ script: () => ({ text: 'x' }) })
  const path = all.home.path('sessions', 'sessions.json')
  const index = createUpstreamIndexWriter(all.context)
  const source = { platform: 'p', account: '', chatId: '1', chatType: 'dm' } as const
  const chat = (sessionKey: string, updatedAt: number) => ({
    sessionKey,
    sessionId: 's',
    createdAt: 1,
    updatedAt,
    source,
  })
  const read = async () => JSON.parse(await readFile(path, 'utf8'))
  await index.write([chat('a', 1), chat('b "\n', 1), chat('c": {\\', 1)])
  await index.write([chat('a', 2)])
  assert.deepEqual(Object.keys(await read()), ['a', 'b "\n', 'c": {\\'])
  const theirs = { ...(await read()), x: { list: ['\n', {}], none: {} }, y: 5, z: [] }
  theirs.a.last_prompt_tokens = 7
  await writeFile(path, JSON.stringify(theirs))
  await index.write([chat('a', 3)])
  await index.write([chat('b "\n', 4), chat('c": {\\', 4)])
  const after = await read()
  assert.deepEqual([after.x, after.y, after.z, after.a.last_prompt_tokens], [theirs.x, 5, [], 7])
  assert.equal(Object.keys(after).length, 6)
  assert.match(after.a.updated_at, /\.003$/)
  assert.equal(await readFile(path, 'utf8'), JSON.stringify(after, null, 2))
})

test('what a crash has kept from the files is in them after the next start', async () => {
  await using all = await open()
  const { home } = all.all
  await all.say('one')
  await all.gateway[Symbol.asyncDispose]()
  const paths = [home.path('sessions', 'sessions.json'), home.path('channel_directory.json')]
  const files = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, 'utf8') })))
  await all.restart()
  await all.say('two', { source: { chatId: '8', chatName: 'Us' } })
  await all.gateway[Symbol.asyncDispose]()
  for (const { path, text } of files) await writeFile(path, text)
  await all.restart()
  await all.gateway[Symbol.asyncDispose]()
  const index = JSON.parse(await readFile(paths[0] ?? '', 'utf8'))
  assert.deepEqual(Object.keys(index), ['agent:main:test:dm:7', 'agent:main:test:dm:8'])
  assert.ok((await readChannels(all.all.context.home))['test']?.some(({ id, name }) => id === '8' && name === 'Us'))
})

test('what is said of many other chats is not understood anew with each that changes', async () => {
  await using all = await startScriptedAgent({ script: () => ({ text: 'x' }) })
  const path = all.home.path('sessions', 'sessions.json')
  const index = createUpstreamIndexWriter(all.context)
  const chats = Array.from({ length: 4_000 }, (_, at) => ({
    sessionKey: `agent:main:p:dm:${at}`,
    sessionId: `s${at}`,
    createdAt: 1,
    updatedAt: 1,
    source: { platform: 'p', account: '', chatId: `${at}`, chatType: 'dm' } as const,
  }))
  await index.write(chats)
  const before = await readFile(path, 'utf8')
  const costOf = async (at: number) => {
    const started = processorMs()
    await index.write(chats.slice(at, at + 1).map((chat) => ({ ...chat, updatedAt: 2 })))
    return processorMs() - started
  }
  let [own, others] = [0, 0]
  for (let at = 0; at < 10; at++) {
    // Somebody else has perhaps written there.
    await utimes(path, at, at)
    others += await costOf(at)
    own += await costOf(at)
  }
  assert.ok(own < others, `${own} ms against ${others} ms`)
  const after = await readFile(path, 'utf8')
  assert.equal(after.length, before.length)
  assert.equal(after, JSON.stringify(JSON.parse(after), null, 2))
})

test('places that are listed as they are need not be noted again', () => {
  const source = { platform: 'p', account: '', chatId: '1', chatType: 'group', threadId: '5', chatName: 'Us' } as const
  const chat = { sessionKey: 'k', sessionId: 's', createdAt: 1, updatedAt: 1, source }
  const listed = { id: '1:5', name: 'Us', type: 'group', thread_id: '5' }
  assert.deepEqual(unlisted([chat], { p: [listed] }), [])
  assert.deepEqual(unlisted([chat], { p: [{ ...listed, name: 'Theirs', guild: 'g' }] }), [])
  assert.deepEqual(unlisted([chat], { p: [{ ...listed, name: 'Then' }] }), [chat])
  assert.deepEqual(unlisted([chat], { q: [listed] }), [chat])
  assert.deepEqual(unlisted([{ ...chat, source: { ...source, platform: 'webhook' } }], {}), [])
})

test('places are noted and found by id, name, and a beginning that only one has', async () => {
  await using all = await open()
  await all.say('one', {
    source: { chatId: 'g1', chatType: 'group', chatName: 'Garden', threadId: '5', chatTopic: 'Bees' },
  })
  await all.say('two', { source: { chatId: 'g2', chatType: 'group', chatName: 'Garage' } })
  await all.restart()
  const channels = (await readChannels(all.all.context.home))['test'] ?? []
  assert.equal(findChannel(channels, 'g2')?.name, 'Garage')
  assert.equal(findChannel(channels, '#garage')?.id, 'g2')
  assert.equal(findChannel(channels, 'garden')?.id, 'g1:5')
  assert.equal(findChannel(channels, 'gar'), undefined)
})

test('home channels are found under every name that they are set by', async () => {
  await using all = await open()
  const { config } = all.all.context
  const of = (platform: string, environment: Record<string, string>) => homeChannel(platform, { config, environment })
  assert.equal(of('matrix', { MATRIX_HOME_ROOM: '!r:x' })?.chatId, '!r:x')
  assert.equal(of('matrix', { MATRIX_HOME_CHANNEL: '!c:x', MATRIX_HOME_ROOM: '!r:x' })?.chatId, '!c:x')
  assert.deepEqual(of('qqbot', { QQ_HOME_CHANNEL: '1', QQ_HOME_CHANNEL_NAME: 'Us' }), { chatId: '1', name: 'Us' })
  assert.equal(of('slack', {}), undefined)
})

test('nobody gets what is for somebody else by calling themselves so', () => {
  const named = (id: string, name: string) => ({ id, name, type: 'dm' })
  const eve = (name: string) => [named('666', name)]
  for (const id of [
    '-1001234567890',
    '123456789',
    'C0123ABCD',
    'bob@example.org',
    '!room:example.org',
    '@bob:example.org',
  ]) {
    assert.equal(findChannel(eve(id), id), undefined, id)
    assert.equal(findChannel(eve(`${id} and more`), id), undefined, id)
    assert.equal(findChannel([named(id, 'Bob'), ...eve(id)], id)?.id, id)
  }
  assert.equal(findChannel([named('1', 'Ann'), named('2', 'Ann')], 'Ann'), undefined)
  assert.equal(findChannel([named('1', 'Ann'), named('2', 'Anna')], 'ann')?.id, '1')
})
