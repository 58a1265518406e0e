import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Honcho } from '@honcho-ai/sdk'
import { startHoncho } from './honcho.ts'

test("Honcho's own client gets along with the stand-in", async () => {
  await using honcho = await startHoncho()
  const client = new Honcho({ apiKey: honcho.key, baseURL: honcho.url, workspaceId: 'zoo', maxRetries: 0 })
  const ann = await client.peer('ann')
  const keeper = await client.peer('keeper')
  const session = await client.session('s-1')
  await session.addPeers([
    [ann, { observeMe: true, observeOthers: false }],
    [keeper, { observeMe: false, observeOthers: true }],
  ])
  const messages = await session.addMessages([
    ann.message('My elephant is called Tuffi. Where is she?'),
    keeper.message('She is in the pool.'),
  ])
  assert.equal(messages.length, 2)
  await honcho.settle()

  assert.match(await keeper.representation({ target: 'ann', searchQuery: 'elephant' }), /called Tuffi/)
  assert.equal(
    await keeper.chat('What is the elephant called?', { target: 'ann' }),
    'What is known: My elephant is called Tuffi.',
  )
  assert.equal(await keeper.chat('Which colour has the moon?', { target: 'ann' }), null)
  await keeper.setCard(['Name: Ann'], 'ann')
  const context = await keeper.context({ target: 'ann' })
  assert.deepEqual(context.peerCard, ['Name: Ann'])
  const [made] = await keeper.conclusionsOf('ann').create([{ content: 'Likes tea.', sessionId: 's-1' }])
  assert.equal(made?.content, 'Likes tea.')
  const status = await client.queueStatus()
  assert.equal(status.pendingWorkUnits, 0)
})

test('the stand-in refuses a wrong key, wrong ids and messages that are too long', async () => {
  await using honcho = await startHoncho()
  const stranger = new Honcho({ apiKey: 'wrong', baseURL: honcho.url, workspaceId: 'zoo', maxRetries: 0 })
  await assert.rejects(async () => (await stranger.peer('ann')).representation(), { status: 401 })

  const post = (path: string, body: unknown) =>
    fetch(honcho.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${honcho.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  assert.equal((await post('/v3/workspaces', { id: 'no dots.or spaces' })).status, 422)
  assert.equal((await post('/v3/workspaces/none/peers', { id: 'ann' })).status, 404)
  await post('/v3/workspaces', { id: 'zoo' })
  const long = { messages: [{ peer_id: 'ann', content: 'x'.repeat(25_001) }] }
  assert.equal((await post('/v3/workspaces/zoo/sessions/s/messages', long)).status, 422)
})
