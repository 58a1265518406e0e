import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import { openCheckpoints } from '@hermes/core/checkpoints/open-checkpoints.ts'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing/scripted-model/answer.ts'
import { answerOf, cardOf, doneOf } from './cards.ts'
import { isAfterTool, openMobileGateway } from './test-mobile-gateway.ts'

const removes = (request: RecordedRequest): ScriptedAnswer =>
  isAfterTool(request)
    ? { text: 'Done.' }
    : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./old' } }] }

const asks = (request: RecordedRequest): ScriptedAnswer =>
  isAfterTool(request)
    ? { text: `You chose: ${String(request.body.messages?.at(-1)?.content)}` }
    : { toolCalls: [{ name: 'clarify', arguments: { question: 'Which one?', choices: ['red', 'blue'] } }] }

test('consent is asked for by a card on all connections; the first answer wins', async () => {
  await using all = await openMobileGateway({ script: removes, work: { 'old/file': 'x' } })
  await using phone = await all.device()
  await using tablet = await all.device()
  await tablet.next('ready')
  phone.send({ t: 'text', id: '1', text: 'clean up' })
  const card = await phone.next('prompt')
  assert.deepEqual(await tablet.next('prompt'), card)
  assert.deepEqual(
    { ...card, id: 'ID' },
    {
      t: 'prompt',
      id: 'ID',
      kind: 'exec_approval',
      text: card.text,
      options: [
        { id: 'once', label: 'Allow once', style: 'primary' },
        { id: 'session', label: 'Allow for this session', style: 'default' },
        { id: 'always', label: 'Always allow', style: 'default' },
        { id: 'deny', label: 'Deny', style: 'danger' },
      ],
      session: 'agent:main:mobile:dm:phone-1',
      timeout_seconds: 300,
    },
  )
  assert.match(card.text, /rm -rf \.\/old/)
  tablet.send({ t: 'prompt', prompt_id: card.id, option_id: ' Once ' })
  const done = { t: 'prompt_done', id: card.id, option_id: 'once', expired: false }
  assert.deepEqual([await phone.next('prompt_done'), await tablet.next('prompt_done')], [done, done])
  phone.send({ t: 'prompt', prompt_id: card.id, option_id: 'deny' })
  assert.equal((await phone.next('error')).code, 'prompt_closed')
  assert.equal(await phone.reply(), 'Done.')
  assert.equal(existsSync(`${all.agent.work}/old`), false)
})

test('an unknown option denies, and a device cannot answer for another one', async () => {
  await using all = await openMobileGateway({ script: removes, work: { 'old/file': 'x' } })
  await using phone = await all.device()
  await using other = await all.device({ id: 'phone-2' })
  phone.send({ t: 'text', id: '1', text: 'clean up' })
  const card = await phone.next('prompt')
  other.send({ t: 'prompt', prompt_id: card.id, option_id: 'once' })
  assert.equal((await other.next('error')).code, 'prompt_closed')
  phone.send({ t: 'prompt', prompt_id: card.id, option_id: 'sure, go on' })
  assert.equal((await phone.next('prompt_done')).option_id, 'deny')
  await phone.reply()
  assert.equal(existsSync(`${all.agent.work}/old`), true)
})

test('a card that nobody answers expires as denied', async () => {
  await using all = await openMobileGateway({
    script: removes,
    config: 'approvals: {gateway_timeout: 1}\n',
    work: { 'old/file': 'x' },
  })
  await using phone = await all.device()
  phone.send({ t: 'text', id: '1', text: 'clean up' })
  const { id, timeout_seconds } = await phone.next('prompt')
  assert.equal(timeout_seconds, 1)
  assert.deepEqual(await phone.next('prompt_done'), { t: 'prompt_done', id, option_id: 'deny', expired: true })
  await phone.reply()
  assert.equal(existsSync(`${all.agent.work}/old`), true)
})

test('a question takes a choice or a text; without either it stays open', async () => {
  await using all = await openMobileGateway({ script: asks })
  await using phone = await all.device()
  for (const [answer, said, option] of [
    [{ option_id: 'c1' }, /blue/, 'c1'],
    [{ option_id: 'other', text: 'green' }, /green/, 'other'],
    [{ text: 'none of them' }, /none of them/, 'other'],
  ] as const) {
    phone.send({ t: 'text', id: option + JSON.stringify(answer), text: 'choose' })
    const card = await phone.next('prompt')
    assert.deepEqual(
      [card.kind, card.text, card.options.map(({ id }) => id)],
      ['clarify', 'Which one?', ['c0', 'c1', 'other']],
    )
    phone.send({ t: 'prompt', prompt_id: card.id, option_id: 'c7' })
    assert.equal((await phone.next('error')).code, 'bad_frame')
    phone.send({ t: 'prompt', prompt_id: card.id, ...answer })
    assert.deepEqual(await phone.next('prompt_done'), {
      t: 'prompt_done',
      id: card.id,
      option_id: option,
      expired: false,
    })
    assert.match(await phone.reply(), said)
  }
})

test('a device that was away gets the open card, and one that has seen it learns of its end', async () => {
  await using all = await openMobileGateway({ script: removes, work: { 'old/file': 'x' } })
  const phone = await all.device()
  phone.send({ t: 'text', id: '1', text: 'clean up' })
  const card = await phone.next('prompt')
  phone.cut()
  await using again = await all.device()
  assert.equal((await again.next('prompt')).id, card.id)
  again.send({ t: 'ack', id: card.id })
  again.cut()
  await again.closed
  const key = 'agent:main:mobile:dm:phone-1'
  await using third = await all.device()
  third.send({ t: 'text', id: '2', text: '/deny' })
  assert.deepEqual(await third.next('prompt_done'), {
    t: 'prompt_done',
    id: card.id,
    option_id: 'deny',
    expired: false,
  })
  assert.equal(
    third.frames.some((frame) => frame.t === 'prompt'),
    false,
    'it was acknowledged',
  )
  assert.equal((await third.next('ready')).session, key)
})

test('when the gateway stops its cards are over, and after the start the question is asked anew', async () => {
  await using all = await openMobileGateway({ script: removes, work: { 'old/file': 'x' } })
  const phone = await all.device()
  phone.send({ t: 'text', id: '1', text: 'clean up' })
  const before = await phone.next('prompt')
  await all.restart()
  assert.deepEqual(await phone.next('prompt_done'), {
    t: 'prompt_done',
    id: before.id,
    option_id: 'deny',
    expired: true,
  })
  await using again = await all.device()
  const card = await again.next('prompt')
  assert.notEqual(card.id, before.id)
  again.send({ t: 'prompt', prompt_id: card.id, option_id: 'once' })
  assert.match(await again.reply(), /Done/)
})

const approval = (keys: readonly string[], choices: readonly ('once' | 'session' | 'always' | 'deny')[]) =>
  ({
    kind: 'approval',
    id: 'x',
    subject: '/reload-mcp',
    reason: 'this forgets the cache',
    keys,
    choices,
  }) satisfies DecisionRequest

test('/rollback asks by a card of slash commands before files go; what is allowed for good is not asked again', async () => {
  await using all = await openMobileGateway({ config: 'checkpoints: {enabled: true}', work: { 'a.txt': 'one' } })
  await using phone = await all.device()
  phone.send({ t: 'text', id: '1', text: 'hello' })
  await phone.reply()
  await all.idle()
  const made = `${all.agent.work}/made.txt`
  const signal = new AbortController().signal
  const begin = async () => {
    await rm(made, { force: true })
    const store = await openCheckpoints(all.agent.work, all.agent.context)
    await store.take('before write_file: made.txt', [], signal)
    await writeFile(made, 'since')
  }
  await begin()
  for (const [id, option, isLeft] of [
    ['2', 'cancel', true],
    ['3', 'always', false],
  ] as const) {
    phone.send({ t: 'text', id, text: '/rollback 1' })
    const card = await phone.next('prompt')
    assert.deepEqual([card.kind, card.options.map((one) => one.id)], ['slash_confirm', ['once', 'always', 'cancel']])
    assert.match(card.text, /remove made\.txt/)
    phone.send({ t: 'prompt', prompt_id: card.id, option_id: option })
    assert.equal((await phone.next('prompt_done')).option_id, option)
    await phone.reply()
    assert.equal(existsSync(made), isLeft, option)
    // Going back has taken checkpoints of its own: the next one is of the folder without the file.
    await begin()
  }
  phone.send({ t: 'text', id: '4', text: '/rollback 1' })
  await phone.reply()
  assert.equal(existsSync(made), false)
  assert.equal(phone.frames.filter(({ t }) => t === 'prompt').length, 2)
})

test('a slash command is confirmed by a card of its own kind', () => {
  const request = approval(['slash:reload-mcp'], ['once', 'always', 'deny'])
  const chat = { platform: 'mobile', chatId: 'p', chatType: 'dm' } as const
  const card = cardOf({ id: 'a', request, chat, sessionKey: 's', timeoutMs: 1_500 }, 'P')
  assert.deepEqual(
    [card.kind, card.options.map(({ id }) => id), card.timeout_seconds],
    ['slash_confirm', ['once', 'always', 'cancel'], 2],
  )
  const said = (option_id: string) => answerOf(request, { t: 'prompt', prompt_id: 'P', option_id })
  assert.deepEqual(['once', 'ALWAYS', 'cancel', 'session', ''].map(said), ['once', 'always', 'deny', 'deny', 'deny'])
  const ends = (choice: Extract<DecisionAnswer, { kind: 'approval' }>['choice']) => {
    const { option_id, expired } = doneOf(request, { kind: 'approval', choice }, 'P')
    return [option_id, expired]
  }
  assert.deepEqual(
    [ends('always'), ends('deny'), ends('timeout')],
    [
      ['always', false],
      ['cancel', false],
      ['cancel', true],
    ],
  )
  assert.deepEqual(doneOf(request, undefined, 'P').expired, true)
})

test('only what is offered can be chosen', () => {
  const request = approval(['rm'], ['once', 'deny'])
  assert.equal(answerOf(request, { t: 'prompt', prompt_id: 'P', option_id: 'always' }), 'deny')
  assert.equal(answerOf(request, { t: 'prompt', prompt_id: 'P', text: 'yes' }), 'deny')
})
