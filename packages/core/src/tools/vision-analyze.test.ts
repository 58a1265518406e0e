import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { runToolTurn } from '@hermes/testing/tool-turn.ts'
import type { ScriptedAnswer } from '@hermes/testing'
import sharp from 'sharp'

const png = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'blue' } })
  .png()
  .toBuffer()

interface Look {
  /** What the tool is called with. */
  readonly place: string
  /** Answers of the model that looks, one a call. */
  readonly sees?: readonly ScriptedAnswer[]
  readonly config?: string
  readonly files?: Readonly<Record<string, Buffer>>
}

/** One scripted turn in which the model looks at an image: the tool's result, and what the looking model was sent. */
async function look({ place, sees = [{ text: 'A blue square.' }], config, files = {} }: Look) {
  const answers = [...sees]
  const { requests, json, status } = await runToolTurn({
    tool: 'vision_analyze',
    args: { image_url: place, question: 'Which colour?' },
    config,
    aside: ({ body }) => (JSON.stringify(body).includes('image_url":{"url"') ? answers.shift() : undefined),
    prepare: async (work) => {
      for (const [name, bytes] of Object.entries(files)) await writeFile(join(work, name), bytes)
    },
  })
  const looks = requests.flatMap(({ body }) => {
    const content = body.messages?.at(-1)?.content
    return Array.isArray(content) ? [content] : []
  })
  return { json, status, looks }
}

async function serve(answer: RequestListener) {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/picture`,
    allowed: `security: {allowed_private_hosts: ["127.0.0.1:${port}"]}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('a file is looked at by the model, with the question, and its kind is told by its bytes', async () => {
  const { json, looks } = await look({ place: 'picture.txt', files: { 'picture.txt': png } })
  assert.deepEqual(json, { success: true, analysis: 'A blue square.' })
  const [text, image] = looks[0] ?? []
  assert.match(JSON.stringify(text), /Which colour\?/)
  assert.deepEqual(image, { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } })
})

test('a file:// URL is a file', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'hermes-vision-')))
  await writeFile(join(folder, 'a b.png'), png)
  const { json } = await look({ place: pathToFileURL(join(folder, 'a b.png')).href })
  await rm(folder, { recursive: true })
  assert.equal(json.success, true)
})

test('an image of the web is fetched under guard', async () => {
  await using server = await serve((_, response) => response.end(png))
  assert.equal((await look({ place: server.url, config: server.allowed })).json.analysis, 'A blue square.')
  const refused = await look({ place: server.url })
  assert.equal(refused.status, 'denied')
  assert.match(refused.json.error, /not a public address/)
  assert.deepEqual([refused.json.success, refused.looks.length], [false, 0])
})

test('what is no image, is missing, protected or not served is told, and no model is asked', async () => {
  await using server = await serve((_, response) => response.writeHead(404).end(png))
  const places: readonly (readonly [string, RegExp])[] = [
    ['note.png', /no image of a kind/],
    ['none.png', /File not found/],
    ['.', /folder/],
    ['../.env', /protected/],
    [server.url, /status 404/],
    ['data:image/png;base64,AAAA', /File not found/],
  ]
  for (const [place, said] of places) {
    const { json, looks } = await look({ place, config: server.allowed, files: { 'note.png': Buffer.from('text') } })
    assert.match(json.error, said, place)
    assert.match(json.analysis, said)
    assert.deepEqual([json.success, looks.length], [false, 0], place)
  }
})

test('an image that the model finds too large is sent again, smaller', async () => {
  const raw = randomBytes(1500 * 1300 * 3)
  const large = await sharp(raw, { raw: { width: 1500, height: 1300, channels: 3 } })
    .png()
    .toBuffer()
  assert.ok(large.length > 5 * 1024 * 1024)
  const refusal: ScriptedAnswer = { fault: { type: 'http', status: 400, message: 'image exceeds 5 MB maximum' } }
  const { json, looks } = await look({
    place: 'large.png',
    files: { 'large.png': large },
    sees: [refusal, { text: 'Noise.' }],
  })
  assert.equal(json.analysis, 'Noise.')
  const sizes = looks.map((content) => JSON.stringify(content).length)
  assert.ok((sizes[0] ?? 0) > 5 * 1024 * 1024 && (sizes[1] ?? Infinity) < 5 * 1024 * 1024, String(sizes))
})

test('a failure of the model is a result, without its secrets', async () => {
  const refusal: ScriptedAnswer = { fault: { type: 'http', status: 401, message: 'bad key made-up-key-123456' } }
  const { json } = await look({ place: 'a.png', files: { 'a.png': png }, sees: [refusal] })
  assert.equal(json.success, false)
  assert.doesNotMatch(JSON.stringify(json), /made-up-key-123456/)
})
