import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '@hermes/testing/free-ports.ts'
import { startScriptedModel } from '@hermes/testing/scripted-model/server.ts'
import { temporaryHome } from '@hermes/testing/temporary-home.ts'
import { connectDevice } from './test-device.ts'
import { lastUser } from './test-mobile-gateway.ts'

const messages = 8
/** Frames after which the process is killed: in the middle of turns, of drafts and of sending. */
const killBehind = [3, 17, 6]

test('kill -9 in the midst of it: each message is answered once, in order', { timeout: 150_000 }, async () => {
  const model = await startScriptedModel((request) => {
    if (!request.body.tools) return { text: 'A title' }
    const said =
      JSON.stringify(request.body.messages)
        .match(/message \d+/g)
        ?.at(-1) ?? lastUser(request)
    return { text: ['Answer ', 'to ', said], chunkDelayMs: 15 }
  })
  const port = await freePort()
  await using home = await temporaryHome({
    'config.yaml': `model: {default: m, base_url: "${model.url}", api_key: made-up-key-123456}
streaming: {enabled: true, edit_interval: 0.005}
memory: {nudge_interval: 0}
skills: {creation_nudge_interval: 0}
`,
    '.env': `MOBILE_TOKEN=the-token\nMOBILE_PORT=${port}\nMOBILE_ALLOW_ALL_DEVICES=true\nMOBILE_HOME_CHANNEL=phone-1\n`,
  })
  const shown = new Map<string, { text: string; isFinal: boolean }>()
  const answered = () => [...shown.values()].filter(({ isFinal }) => isFinal).length
  const late = AbortSignal.timeout(140_000)
  for (let start = 0; answered() < messages; start++) {
    const child = spawn(process.execPath, ['--conditions=development', fixture, home.dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    await once(child.stdout, 'data', { signal: late })
    const device = await connectDevice({ url: `ws://127.0.0.1:${port}/ws` })
    let sent = -1
    for (let at = 0; answered() < messages && at < (killBehind[start] ?? Infinity); at++) {
      // What is not answered yet may never have arrived.
      if (sent < answered()) device.send({ t: 'text', id: `m${(sent = answered())}`, text: `message ${answered()}` })
      if (at >= device.frames.length) await once(device.socket, 'message', { signal: late })
      const frame = device.frames[at]
      if (frame?.t !== 'message') continue
      const known = shown.get(frame.id)
      if (!known || frame.edit) shown.set(frame.id, { text: frame.text, isFinal: frame.final })
      if (!frame.edit) device.send({ t: 'ack', id: frame.id })
    }
    child.kill('SIGKILL')
    await exited
    device.cut()
  }
  await model.close()
  assert.deepEqual(
    [...shown.values()].map(({ text }) => text),
    Array.from({ length: messages }, (_, at) => `Answer to message ${at}`),
  )
})

const fixture = fileURLToPath(new URL('kill.fixture.ts', import.meta.url))
