import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openTestPheby } from './test-pheby.ts'

async function open() {
  await using opening = new AsyncDisposableStack()
  const all = opening.use(await openTestPheby())
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  opening.move()
  return Object.assign(all, { client, id })
}

test('models are listed by provider, with what is used now', async () => {
  await using all = await open()
  const { client, id } = all
  const snapshot = await client.answer({ type: 'models.list', conversation_id: id }, 'models.snapshot')
  assert.equal(snapshot.current_model, 'scripted-model')
  assert.equal(snapshot.scope, 'conversation')
  assert.deepEqual(snapshot.supported_reasoning_efforts, ['minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'])
  const current = snapshot.providers.find(({ is_current: isCurrent }) => isCurrent)
  assert.equal(current?.slug, snapshot.current_provider)
  assert.ok(current?.models.includes('scripted-model'))
  for (const { models, total_models: total } of snapshot.providers) assert.ok(models.length <= total)
  const everywhere = await client.answer({ type: 'models.list' }, 'models.snapshot')
  assert.equal(everywhere.scope, 'global')
})

test('a model is changed for one conversation, and the next run of it alone uses that', async () => {
  await using all = await open()
  const { client, id } = all
  const other = await all.connect()
  const { model, provider } = await client.answer({ type: 'models.current' }, 'model.current')
  assert.equal(model, 'scripted-model')
  const from = other.events.length
  const changed = await client.ask({ type: 'model.set', model: 'another', provider, conversation_id: id }, 'set')
  const told = { type: 'model.changed', model: 'another', provider, scope: 'conversation', conversation_id: id }
  assert.deepEqual(changed, { ...told, request_id: 'set' })
  assert.deepEqual(await other.event('model.changed', undefined, from), told)
  const own = await client.answer({ type: 'models.current', conversation_id: id }, 'model.current')
  assert.deepEqual([own.model, own.scope, own.conversation_id], ['another', 'conversation', id])
  assert.equal((await client.answer({ type: 'models.current' }, 'model.current')).model, 'scripted-model')
  await client.ask({ type: 'chat.send', conversation_id: id, text: 'hi' })
  await client.event('run.finished', undefined, 0)
  assert.ok(all.agent.model.requests.some(({ body }) => body.model === 'another' && body.tools))
})

test('a model is changed for all, kept in the configuration, and used at once where nothing else is chosen', async () => {
  await using all = await open()
  const { client, id } = all
  const { provider } = await client.answer({ type: 'models.current' }, 'model.current')
  const changed = await client.ask({ type: 'model.set', model: 'general', provider }, 'set')
  assert.deepEqual(changed, { type: 'model.changed', model: 'general', provider, scope: 'global', request_id: 'set' })
  assert.match(await readFile(all.agent.home.path('config.yaml'), 'utf8'), /general/)
  assert.equal((await client.answer({ type: 'models.current' }, 'model.current')).model, 'general')
  await client.ask({ type: 'chat.send', conversation_id: id, text: 'hi' })
  await client.event('run.finished', undefined, 0)
  assert.ok(all.agent.model.requests.some(({ body }) => body.model === 'general' && body.tools))
})

test('a provider that there is not is refused, and changes nothing', async () => {
  await using all = await open()
  const { client, id } = all
  for (const conversation of [{}, { conversation_id: id }]) {
    const refused = await client.answer(
      { type: 'model.set', model: 'x', provider: 'no-such-provider', ...conversation },
      'error',
    )
    assert.equal(refused.error.code, 'bad_request')
  }
  assert.equal((await client.answer({ type: 'models.current' }, 'model.current')).model, 'scripted-model')
})

test('the effort of reasoning has both scopes', async () => {
  await using all = await open()
  const { client, id } = all
  const before = await client.answer({ type: 'reasoning.current' }, 'reasoning.snapshot')
  assert.deepEqual([before.effort, before.enabled, before.scope], [null, true, 'global'])
  assert.deepEqual(before.supported_efforts, ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'])
  assert.deepEqual(await client.ask({ type: 'reasoning.set', effort: 'ultra', conversation_id: id }, 'a'), {
    type: 'reasoning.changed',
    effort: 'ultra',
    scope: 'conversation',
    conversation_id: id,
    request_id: 'a',
  })
  const from = client.events.length
  await client.ask({ type: 'reasoning.set', effort: 'none' }, 'b')
  assert.deepEqual(await client.event('reasoning.changed', (event) => event.request_id === undefined, from), {
    type: 'reasoning.changed',
    effort: 'none',
    scope: 'global',
  })
  const general = await client.answer({ type: 'reasoning.current' }, 'reasoning.snapshot')
  assert.deepEqual([general.effort, general.enabled], ['none', false])
  const own = await client.answer({ type: 'reasoning.current', conversation_id: id }, 'reasoning.snapshot')
  assert.deepEqual([own.effort, own.enabled, own.scope], ['ultra', true, 'conversation'])
  assert.match(await readFile(all.agent.home.path('config.yaml'), 'utf8'), /reasoning_effort: "?none"?/)
  client.send({ type: 'reasoning.set', effort: 'huge', request_id: 'c' })
  assert.equal((await client.event('error', undefined, from)).error.code, 'bad_request')
})
