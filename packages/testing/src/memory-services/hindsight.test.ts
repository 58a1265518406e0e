import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HindsightClient } from '@vectorize-io/hindsight-client'
import { startHindsight } from './hindsight.ts'

test("Hindsight's own client gets along with the stand-in", async () => {
  await using hindsight = await startHindsight()
  const client = new HindsightClient({ baseUrl: hindsight.url, apiKey: hindsight.key })
  assert.equal((await client.getVersion()).api_version, '0.9.1')
  await client.createBank('zoo', { name: 'Zoo', reflectMission: 'Knows elephants.' })
  assert.equal(hindsight.banks.get('zoo')?.mission, 'Knows elephants.')

  const kept = await client.retain('zoo', 'The elephant is called Tuffi. She eats hay.', { tags: ['animals'] })
  assert.deepEqual([kept.success, kept.items_count, kept.async], [true, 1, false])
  const later = await client.retain('zoo', 'The lion is called Leo.', { async: true, documentId: 'd' })
  assert.equal(typeof later.operation_id, 'string')
  await hindsight.settle()

  const { results } = await client.recall('zoo', 'elephant', { budget: 'low', maxTokens: 100 })
  assert.deepEqual(
    results.map(({ text, type, tags }) => [text, type, tags]),
    [['The elephant is called Tuffi.', 'world', ['animals']]],
  )
  const strict = await client.recall('zoo', 'called', { tags: ['animals'], tagsMatch: 'any_strict' })
  assert.equal(strict.results.length, 1)
  assert.equal((await client.reflect('zoo', 'lion')).text, 'From memory: The lion is called Leo.')
})

test('a document that is kept again takes the place of the one before, or goes on with it', async () => {
  await using hindsight = await startHindsight()
  const client = new HindsightClient({ baseUrl: hindsight.url, apiKey: hindsight.key })
  const facts = () => hindsight.banks.get('zoo')?.facts.map(({ text }) => text)
  await client.retain('zoo', 'One.', { documentId: 'd' })
  await client.retain('zoo', 'Two.', { documentId: 'd' })
  assert.deepEqual(facts(), ['Two.'])
  await client.retain('zoo', 'Three.', { documentId: 'd', updateMode: 'append' })
  assert.deepEqual(facts(), ['Two.', 'Three.'])
})

test('the stand-in refuses a wrong key and a wrong budget', async () => {
  await using hindsight = await startHindsight()
  const stranger = new HindsightClient({ baseUrl: hindsight.url, apiKey: 'wrong' })
  await assert.rejects(stranger.recall('zoo', 'elephant'), { statusCode: 401 })
  const response = await fetch(`${hindsight.url}/v1/default/banks/zoo/memories/recall`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hindsight.key}` },
    body: JSON.stringify({ query: 'x', budget: 'huge' }),
  })
  assert.equal(response.status, 422)
})
