import assert from 'node:assert/strict'
import { test } from 'node:test'
import Supermemory from 'supermemory'
import { startSupermemory } from './supermemory.ts'

test("Supermemory's own client gets along with the stand-in", async () => {
  await using supermemory = await startSupermemory()
  const client = new Supermemory({ apiKey: supermemory.key, baseURL: supermemory.url, maxRetries: 0 })
  const added = await client.documents.add({
    content: 'The elephant is called Tuffi. She eats hay.',
    containerTag: 'zoo',
    customId: 'd-1',
    metadata: { type: 'fact' },
  })
  assert.equal(added.status, 'queued')
  await supermemory.settle()
  assert.equal((await client.documents.get(added.id)).status, 'done')

  const { results, total } = await client.search({ q: 'elephant', containerTag: 'zoo', limit: 5 })
  assert.deepEqual([total, results[0]?.memory, results[0]?.similarity], [1, 'The elephant is called Tuffi.', 1])
  assert.equal((await client.search.memories({ q: 'elephant', containerTag: 'other' })).total, 0)
  const { profile, searchResults } = await client.profile({ containerTag: 'zoo', q: 'hay' })
  assert.deepEqual(profile.dynamic, ['The elephant is called Tuffi.', 'She eats hay.'])
  assert.equal(searchResults?.total, 1)
  const id = results[0]?.id ?? ''
  assert.deepEqual(await client.memories.forget({ id, containerTag: 'zoo' }), { id, forgotten: true })
  await assert.rejects(client.memories.forget({ id, containerTag: 'zoo' }), { status: 404 })
})

test('a document that is added again under its own id takes the place of the one before', async () => {
  await using supermemory = await startSupermemory()
  const client = new Supermemory({ apiKey: supermemory.key, baseURL: supermemory.url, maxRetries: 0 })
  await client.documents.add({ content: 'One.', containerTag: 'zoo', customId: 'd-1' })
  await client.documents.add({ content: 'Two.', containerTag: 'zoo', customId: 'd-1' })
  await supermemory.settle()
  assert.deepEqual(
    supermemory.memories.map(({ memory }) => memory),
    ['Two.'],
  )
})

test('the stand-in refuses a wrong key and a wrong tag', async () => {
  await using supermemory = await startSupermemory()
  const stranger = new Supermemory({ apiKey: 'wrong', baseURL: supermemory.url, maxRetries: 0 })
  await assert.rejects(stranger.search({ q: 'elephant' }), { status: 401 })
  const client = new Supermemory({ apiKey: supermemory.key, baseURL: supermemory.url, maxRetries: 0 })
  await assert.rejects(client.search({ q: 'elephant', containerTag: 'a b' }), { status: 400 })
})
