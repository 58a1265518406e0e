import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { RecordedRequest, Script } from '@hermes/testing/scripted-model/answer.ts'
import { saveInbound } from '../media/save-inbound.ts'
import { openTestGateway } from '../test-gateway.ts'

const isTitle = (request: RecordedRequest) => !request.body.tools

async function open(script: Script, { config = '' } = {}) {
  const all = await startScriptedAgent({
    script: (request, n) =>
      isTitle(request) ? { text: 'T' } : typeof script === 'function' ? script(request, n) : { text: 'Done.' },
    config: `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n${config}`,
    home: { '.env': `TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=7\n` },
  })
  const gateway = await openTestGateway(all)
  const asked = () => all.model.requests.filter((request) => !isTitle(request))
  return Object.assign(gateway, { asked })
}

/** A picture of a person, as it is kept. */
async function photoIn(home: { path(name: string): string }) {
  const path = home.path('photo.png')
  await writeFile(path, Buffer.from('some bytes'))
  return { kind: 'image', path, mimeType: 'image/png' } as const
}

const limit = { timeout: 60_000 }
const imageUrl = `data:image/png;base64,${Buffer.from('some bytes').toString('base64')}`
const userMessages = ({ body }: RecordedRequest) =>
  JSON.stringify((body.messages ?? []).filter(({ role }) => role === 'user'))

test(
  'a picture is shown to the turn that answers it, also where a newer message cut its own short',
  limit,
  async () => {
    let isSlow = true
    await using all = await open(() => (isSlow ? { fault: { type: 'stall' } } : { text: 'A cat.' }))
    const photo = await photoIn(all.all.home)
    await all.platform.write('what is it?', { attachments: [photo] })
    await all.all.model.arrived(1)
    isSlow = false
    await all.platform.write('in German, please')
    await all.platform.waitForSent(1)
    await all.platform.write('and its colour?')
    await all.platform.waitForSent(2)
    const [cut, both, after] = all.asked().map(userMessages)
    assert.ok(cut?.includes(imageUrl))
    assert.ok(both?.includes(imageUrl) && both.includes('what is it?') && both.includes('in German, please'), both)
    // From then on the agent knows where it is.
    assert.ok(!after?.includes(imageUrl) && after?.includes(photo.path), after)
  },
)

test('a picture whose turn a restart interrupted is shown again after it', limit, async () => {
  let isSlow = true
  await using all = await open(() => (isSlow ? { fault: { type: 'stall' } } : { text: 'A cat.' }))
  await all.platform.write('', { attachments: [await photoIn(all.all.home)] })
  await all.all.model.arrived(1)
  isSlow = false
  await all.restart()
  await all.platform.waitForSent(1)
  assert.ok(userMessages(all.asked().at(-1)!).includes(imageUrl))
})

test('a model that is known to see nothing is told of pictures, not shown them', limit, async () => {
  await using all = await open(() => ({ text: 'I have its path.' }))
  const blind = {
    provider: 'deepseek',
    default: 'deepseek-v4-pro',
    base_url: all.all.model.url,
    api_key: 'made-up-key-123',
  }
  await writeFile(all.all.home.path('config.yaml'), JSON.stringify({ model: blind }))
  await all.restart()
  const photo = await photoIn(all.all.home)
  await all.platform.write('look', { attachments: [photo] })
  await all.platform.waitForSent(1)
  const [asked] = all.asked().map(userMessages)
  assert.ok(asked?.includes(photo.path) && !asked.includes(imageUrl), asked)
})

test('a question is answered by a file, too', limit, async () => {
  await using all = await open(({ body }) => {
    const last = body.messages?.at(-1)
    return last?.role === 'tool'
      ? { text: String(last.content).replaceAll('photo.png', 'the photo') }
      : { toolCalls: [{ name: 'clarify', arguments: { question: 'Which one?', choices: ['red', 'blue'] } }] }
  })
  await all.platform.write('paint it')
  await all.platform.waitForText(/Which one\?/)
  await all.platform.write('2', { attachments: [await photoIn(all.all.home)] })
  const sent = await all.platform.waitForSent(2)
  assert.match(
    sent[1]?.text ?? '',
    /"user_response":"blue\\n\\n\[The user sent an image \(image\/png\): .*the photo\]"/,
  )
})

test('an answer whose picture is still fetched is not lost to a newer message', limit, async () => {
  const asked = Promise.withResolvers<void>()
  // Nobody is answered.
  const pictures = createServer(() => asked.resolve()).listen(0, '127.0.0.1')
  await once(pictures, 'listening')
  const url = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}/cat.png`
  try {
    await using all = await open(
      (request) => ({
        text: userMessages(request).includes('next') ? 'The next one.' : `Here it is: ![a cat](${url})`,
      }),
      { config: 'security: {allow_private_urls: true}\n' },
    )
    await all.platform.write('a cat')
    await asked.promise
    await all.platform.write('next')
    const sent = await all.platform.waitForSent(2)
    assert.deepEqual(
      sent.map(({ text }) => text),
      [`Here it is: ![a cat](${url})`, 'The next one.'],
    )
  } finally {
    pictures.closeAllConnections()
    pictures.close()
  }
})

test('work beside a conversation and words for a turn have their files too, in both directions', limit, async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await using all = await open(async (request) => {
    const said = userMessages(request)
    if (said.includes('hold')) await held
    return { text: said.includes('draw it') ? 'Drawn.\n\nMEDIA:chart.txt' : 'Done.' }
  })
  await all.all.put('chart.txt', 'a chart')
  const photo = await photoIn(all.all.home)
  await all.platform.write('hold')
  await all.all.model.arrived(1)
  await all.platform.write('/bg draw it', { attachments: [photo] })
  const [, done, file] = await all.platform.waitForSent(3)
  assert.match(done?.text ?? '', /Done beside[^]*Drawn\.$/)
  assert.match(file?.part.type === 'file' ? file.part.path : '', /chart\.txt$/)
  assert.ok(userMessages(all.asked()[1]!).includes(imageUrl))
  await all.platform.write('/steer like this', { attachments: [photo] })
  release()
  await all.platform.waitForSent(5)
  const last = userMessages(all.asked().at(-1)!)
  assert.ok(last.includes('like this') && last.includes(imageUrl), last)
})

test('/retry shows the pictures of a message again, each once, also after a restart and once more', limit, async () => {
  let slow: PromiseWithResolvers<void> | undefined
  await using all = await open(() => {
    slow?.resolve()
    return slow ? { fault: { type: 'stall' } } : { text: 'A cat.' }
  })
  const { home } = all.all
  const kept = async (name: string, more: object = {}) => {
    const file = { kind: 'image', bytes: Buffer.from(`\x89PNG\r\n\x1a\n ${name}`, 'latin1'), ...more } as const
    return saveInbound(file, { home: openHome(home.environment) })
  }
  const photos = [await kept('one'), await kept('two', { name: 'my "cat" (2).png' })]
  const urls = await Promise.all(
    photos.map(async ({ path }) => `data:image/png;base64,${(await readFile(path)).toString('base64')}`),
  )
  const times = (text: string, part: string) => text.split(part).length - 1
  const check = (caption: string) => {
    const said = userMessages(all.asked().at(-1)!)
    for (const part of [...urls, ...photos.map(({ path }) => path), ...(caption === '' ? [] : [caption])]) {
      assert.equal(times(said, part), 1, said)
    }
  }
  for (const caption of ['', 'what is it?']) {
    await all.platform.write(caption, { attachments: photos })
    await all.idle()
    check(caption)
    for (const isAfterRestart of [false, true, false]) {
      if (isAfterRestart) await all.restart()
      await all.say('/retry')
      await all.idle()
      check(caption)
    }
    slow = Promise.withResolvers()
    await all.platform.write('/retry')
    await slow.promise
    await all.say('/stop')
    await all.idle()
    slow = undefined
    await all.say('/retry')
    await all.idle()
    check(caption)
    await all.say('/new')
  }
})

test('/retry shows no file that is not a picture of a chat', limit, async () => {
  await using all = await open(() => ({ text: 'Done.' }))
  const { path } = await photoIn(all.all.home)
  await all.say(`look\n[The user sent an image (image/png): ${path}]`)
  await all.say('/retry')
  const said = userMessages(all.asked().at(-1)!)
  assert.ok(said.includes(path) && !said.includes(imageUrl), said)
})
