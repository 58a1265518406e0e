import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { RecordedRequest, Script } from '@hermes/testing/scripted-model/answer.ts'
import { openTestGateway } from '../test-gateway.ts'

const isTitle = (request: RecordedRequest) => !request.body.tools
const limit = { timeout: 60_000 }

/** A gateway whose recordings are listened to, and whose answers are spoken, by a program that ends when it is let go. */
async function open(script: Script = (request) => ({ text: `Heard ${said(request)}` }), listened = 'echo buy milk') {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-slow-'))
  const [begun, go] = [join(folder, 'begun'), join(folder, 'go')]
  const slow = [
    `echo $$ > '${begun}.new'`,
    `mv '${begun}.new' '${begun}'`,
    `while [ -d '${folder}' ] && ! [ -e '${go}' ]; do sleep 0.02; done`,
  ]
  await writeFile(join(folder, 'listen.sh'), [...slow, listened, ''].join('\n'))
  await writeFile(join(folder, 'speak.sh'), [...slow, 'echo sound > "$1"', ''].join('\n'))
  const recording = join(folder, 'voice.wav')
  await writeFile(recording, 'some bytes')
  const all = await startScriptedAgent({
    script: (request, n) =>
      isTitle(request) ? { text: 'T' } : typeof script === 'function' ? script(request, n) : { text: 'Done.' },
    config:
      'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\nstt: {provider: local_command}\ntts: {provider: local_command}\n',
    home: {
      '.env': [
        'TEST_ALLOW_ALL_USERS=true',
        'TEST_HOME_CHANNEL=7',
        `HERMES_LOCAL_STT_COMMAND=sh ${folder}/listen.sh`,
        `HERMES_LOCAL_TTS_COMMAND=sh ${folder}/speak.sh {output_path}`,
        '',
      ].join('\n'),
    },
  })
  const gateway = await openTestGateway(all, { reactions: true })
  /** Resolves to the program's process when it is at work. */
  async function untilBegun(signal: AbortSignal): Promise<number> {
    for (;;) {
      const pid = await readFile(begun, 'utf8').catch(() => '')
      if (pid !== '') {
        await rm(begun)
        return Number(pid)
      }
      await wait(10, undefined, { signal })
    }
  }
  return {
    ...gateway,
    untilBegun,
    attachments: [{ kind: 'voice', path: recording, mimeType: 'audio/wav' }] as const,
    letGo: () => writeFile(go, ''),
    asked: () => all.model.requests.filter((request) => !isTitle(request)),
    texts: () => gateway.platform.sent.map(({ text }) => text),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function said({ body }: RecordedRequest): string {
  return JSON.stringify((body.messages ?? []).filter(({ role }) => role === 'user'))
}

async function untilGone(pid: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await wait(10, undefined, { signal })
  }
}

test('a voice message stays in the conversation where a newer one comes meanwhile', limit, async ({ signal }) => {
  await using all = await open()
  await all.platform.write('', { attachments: all.attachments })
  await all.untilBegun(signal)
  await all.platform.write('and bread')
  await all.letGo()
  const [answer] = await all.platform.waitForSent(1)
  assert.match(answer?.text ?? '', /buy milk[\s\S]*and bread/)
})

for (const command of ['stop', 'new']) {
  for (const newer of [[], ['and bread'], ['and bread', 'and salt']]) {
    const what = newer.length === 0 ? 'a voice message' : `one that ${newer.length} newer messages wait for`
    test(`/${command} ends the listening to ${what}`, limit, async ({ signal }) => {
      await using all = await open()
      await all.platform.write('', { attachments: all.attachments })
      const pid = await all.untilBegun(signal)
      for (const text of newer) await all.platform.write(text)
      const told = await all.say(`/${command}`)
      assert.match(told, command === 'stop' ? /^⏹ Stopped\./ : /^✨/)
      assert.equal(told.includes('not answered either: "and bread"'), newer.length > 0, told)
      await all.idle()
      await untilGone(pid, signal)
      assert.match(await all.say('hello'), /^Heard .*hello/)
      const whole = JSON.stringify(all.asked().map(said))
      assert.ok(!whole.includes('milk') && !whole.includes('bread'), whole)
      // Nothing of it is left for the next start.
      await all.restart()
      assert.match(await all.say('again'), /^Heard .*again/)
      assert.equal(all.asked().length, 2)
    })
  }
}

test('a restart loses neither a voice message nor the newer one that waits for it', limit, async ({ signal }) => {
  await using all = await open()
  await all.platform.write('', { attachments: all.attachments })
  await all.untilBegun(signal)
  await all.platform.write('and bread')
  await all.letGo().then(() => undefined)
  await all.restart()
  await all.platform.waitForText(/milk[\s\S]*bread/)
})

test('a voice message that was stopped is not shown to be worked on any more', limit, async ({ signal }) => {
  await using all = await open()
  await all.platform.write('', { attachments: all.attachments })
  await all.untilBegun(signal)
  await all.platform.waitForMarks(1)
  await all.say('/stop')
  assert.deepEqual(await all.platform.waitForMarks(2), ['working', undefined])
})

test('/stop ends the listening to an answer, whose question is gone then', limit, async ({ signal }) => {
  await using all = await open((request) =>
    said(request).includes('paint')
      ? { toolCalls: [{ name: 'clarify', arguments: { question: 'Which one?', choices: ['red', 'blue'] } }] }
      : { text: `Heard ${said(request)}` },
  )
  await all.platform.write('paint it')
  await all.platform.waitForText(/Which one\?/)
  await all.platform.write('', { attachments: all.attachments })
  const pid = await all.untilBegun(signal)
  assert.match(await all.say('/stop'), /^⏹ Stopped\./)
  await all.idle()
  await untilGone(pid, signal)
  await all.restart()
  await all.idle()
  assert.deepEqual([all.asked().length, all.platform.sent.length], [1, 2])
})

test('/stop ends the listening to a question aside', limit, async ({ signal }) => {
  await using all = await open()
  await all.platform.write('/btw what is this', { attachments: all.attachments })
  const pid = await all.untilBegun(signal)
  await all.platform.write('/stop')
  await all.platform.waitForText(/Stopped what ran in the background/)
  await all.platform.waitForText(/\/btw was stopped/)
  await untilGone(pid, signal)
})

test('/stop ends the speaking of an answer', limit, async ({ signal }) => {
  await using all = await open(() => ({ text: 'A long story.' }))
  await all.say('/voice tts')
  await all.platform.write('tell me')
  const pid = await all.untilBegun(signal)
  await all.platform.waitForText(/A long story/)
  assert.match(await all.say('/stop'), /^⏹ The answer is not spoken any more\./)
  await untilGone(pid, signal)
  await all.idle()
  assert.match(await all.say('/stop'), /Nothing is running/)
})
