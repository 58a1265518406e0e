import assert from 'node:assert/strict'
import { test } from 'node:test'
import Parallel from 'parallel-web'
import { startParallel } from './parallel.ts'

const page = { url: 'https://zoo.example/elephants', title: 'Elephants', text: 'Elephants eat hay.' }

test("Parallel's own client gets along with the stand-in", async () => {
  await using parallel = await startParallel([page])
  const client = new Parallel({ apiKey: parallel.key, baseURL: parallel.url, maxRetries: 0 })
  const { results } = await client.search({ search_queries: ['elephants'], mode: 'basic' })
  assert.deepEqual(
    results.map(({ url, title, excerpts }) => ({ url, title, excerpts })),
    [{ url: page.url, title: 'Elephants', excerpts: ['Elephants eat hay.'] }],
  )
  const extracted = await client.extract({
    urls: [page.url, 'https://zoo.example/unknown'],
    advanced_settings: { full_content: true },
  })
  assert.equal(extracted.results[0]?.full_content, page.text)
  assert.equal(extracted.errors[0]?.url, 'https://zoo.example/unknown')
})

test("Parallel's own client is refused with a wrong key, a wrong request and too many of them", async () => {
  await using parallel = await startParallel([page])
  const ask = (apiKey: string, queries: string[]) =>
    new Parallel({ apiKey, baseURL: parallel.url, maxRetries: 0 }).search({ search_queries: queries })
  await assert.rejects(ask('wrong', ['x']), { status: 401 })
  await assert.rejects(ask(parallel.key, []), { status: 422 })
  parallel.misbehave({ type: 'status', status: 429 })
  await assert.rejects(ask(parallel.key, ['x']), { status: 429 })
})
