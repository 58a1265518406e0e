import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { RecordedRequest } from '@hermes/testing'
import { isSummaryRequest } from '@hermes/testing/long-conversation.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { nobody } from '../agent/decision.ts'
import type { NumberedEvent } from '../agent/events.ts'
import type { FaceInfo, TurnRequest } from '../agent/turn.ts'

const turns = 50

/** What a profile has that goes into prompts. */
const everything = {
  home: {
    'SOUL.md': 'You are Iris.',
    'memories/MEMORY.md': 'The printer is slow.',
    'memories/USER.md': 'Lives in Lyon.',
    'skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies a folder up\n---\nTidy.',
  },
  work: { 'AGENTS.md': 'Build with make.', 'pkg/AGENTS.md': 'Test with make too.', 'pkg/a.txt': 'a' },
}

interface Face extends Partial<TurnRequest> {
  readonly face: FaceInfo
}

/** The faces by name: what differs between them is what a turn's request says. */
const faces: Readonly<Record<string, Face>> = {
  cli: { face: { name: 'cli', promptHint: 'Write Markdown.', decide: nobody } },
  'one-shot': { face: { name: 'cli', promptHint: 'Write plain text.', decide: nobody, passSessionId: true } },
  telegram: {
    face: { name: 'telegram', promptHint: 'Write short.', decide: nobody },
    toolsets: ['hermes-telegram'],
    session: { id: 'telegram', source: 'telegram', userId: 'ann' },
  },
  'api-server': {
    face: { name: 'api-server', decide: nobody },
    toolsets: ['hermes-api-server'],
    instructions: 'Rhyme.',
  },
  acp: { face: { name: 'acp', decide: nobody }, toolsets: ['hermes-acp'] },
  cron: {
    face: { name: 'cron', decide: nobody, contextFiles: false },
    minimalPrompt: true,
    toolsets: ['file', 'todo'],
  },
}

/** A request as a provider's cache looks at it: tools first, then message after message. */
function asCached({ body }: RecordedRequest) {
  return {
    tools: JSON.stringify(body.tools),
    messages: (body.messages ?? []).map((message) => JSON.stringify(message)),
  }
}

/** Whether the next request begins with the whole one before it. */
function goesOn(before: RecordedRequest, next: RecordedRequest): boolean {
  const [old, new_] = [asCached(before), asCached(next)]
  return (
    old.tools === new_.tools &&
    new_.messages.length > old.messages.length &&
    old.messages.every((message, at) => message === new_.messages[at])
  )
}

for (const [name, request] of Object.entries(faces)) {
  test(`${name}: over ${turns} turns every request begins with the whole one before it, whatever changes meanwhile`, async () => {
    await using all = await startScriptedAgent({
      ...everything,
      script: (_request, n) => {
        if (n % 2 === 1) return { text: `answer ${n}` }
        // The tools that change what prompts are made of, and a folder with notes of its own.
        const call =
          n % 8 === 0
            ? { name: 'read_file', arguments: { path: 'pkg/a.txt' } }
            : { name: 'todo', arguments: { todos: [{ id: '1', content: `step ${n}`, status: 'pending' }] } }
        return { text: `step ${n}`, toolCalls: [call] }
      },
    })
    for (let turn = 0; turn < turns; turn++) {
      const events = await all.turn(name, `message ${turn}`, request)
      assert.equal(statusOf(events), 'completed')
      if (turn % 5 === 0) await all.put('AGENTS.md', `Build ${turn}.`)
      if (turn % 5 === 1) await all.context.memory.add('memory', `fact ${turn}`)
      if (turn % 5 === 2) await writeFile(all.home.path('SOUL.md'), `You are number ${turn}.`)
      if (turn % 17 === 16) await all.reopen()
    }
    const { requests } = all.model
    assert.equal(requests.length, 2 * turns)
    for (const [at, next] of requests.entries()) {
      if (at > 0) assert.ok(goesOn(requests[at - 1]!, next), `request ${at} does not go on from the one before it`)
      assert.equal(next.problem, undefined)
    }
  })
}

test('what a memory provider recalls stands with its message, and later requests go on from it', async () => {
  const animals = ['heron', 'otter', 'badger', 'marten', 'beaver']
  await using all = await startScriptedAgent({
    ...everything,
    config: 'memory: {provider: holographic}',
    script: (_request, n) => {
      const facts = animals.map((animal) => ({ action: 'add', content: `The ${animal} sleeps by the river.` }))
      return n === 0
        ? { toolCalls: facts.map((fact) => ({ name: 'fact_store', arguments: fact })) }
        : { text: `answer ${n}` }
    },
  })
  await all.turn('earlier', 'Remember the animals.')
  const before = all.model.requests.length
  for (let turn = 0; turn < turns; turn++) {
    const animal = animals[turn / 10]
    await all.turn('a', animal === undefined ? `message ${turn}` : `Where does the ${animal} sleep?`)
  }
  const requests = all.model.requests.slice(before)
  const users = (requests.at(-1)?.body.messages ?? []).filter(({ role }) => role === 'user')
  const recalled = users.filter(({ content }) => String(content).includes('by the river'))
  assert.ok(recalled.length >= 3, `${recalled.length} messages have what was recalled for them`)
  for (const [at, next] of requests.entries()) {
    if (at > 0) assert.ok(goesOn(requests[at - 1]!, next), `request ${at} does not go on from the one before it`)
  }
})

test('only a compaction begins a request anew, and from then on the next ones go on from it', async () => {
  const longText = 'The step is done and everything about it was looked at twice, as it should be. '.repeat(30)
  await using all = await startScriptedAgent({
    contextLength: 32_000,
    // Before a compaction memories are saved by requests of their own.
    config: 'memory: {flush_min_turns: 0}',
    script: (request) => (isSummaryRequest(request) ? { text: '## Goal\nGo on.' } : { text: [longText] }),
  })
  let session = 'a'
  let compactions = 0
  for (let turn = 0; turn < turns; turn++) {
    for (const event of await all.turn(session, `message ${turn}`)) {
      if (event.type !== 'compaction') continue
      session = event.sessionId
      compactions += 1
    }
  }
  const requests = all.model.requests.filter((request) => !isSummaryRequest(request))
  assert.equal(requests.length, turns)
  const begunAnew = requests.filter((next, at) => at > 0 && !goesOn(requests[at - 1]!, next))
  assert.ok(compactions >= 2, `${compactions} compactions`)
  assert.equal(begunAnew.length, compactions)
  for (const request of begunAnew) assert.match(JSON.stringify(request.body.messages), /CONTEXT COMPACTION/)
})

test('sessions of one profile on one day begin alike at each face; what only one has comes after all that they share', async () => {
  await using all = await startScriptedAgent(everything)
  for (const [name, request] of Object.entries(faces)) {
    const before = all.model.requests.length
    for (const n of [1, 2]) await all.turn(`${name}-${n}`, `message ${n}`, { ...request, session: sessionOf(name, n) })
    await all.reopen()
    await all.turn(`${name}-3`, 'message 3', { ...request, session: sessionOf(name, 3) })
    const [first, ...others] = all.model.requests.slice(before).map(asCached)
    assert.equal(others.length, 2)
    for (const [at, other] of others.entries()) {
      assert.equal(other.tools, first?.tools, name)
      const [prompt = '', otherPrompt = ''] = [first?.messages[0], other.messages[0]]
      if (!request.face.passSessionId) assert.equal(otherPrompt, prompt, name)
      const own = (text: string, n: number) => text.replace(`Session ID: ${name}-${n}`, 'Session ID: ')
      assert.equal(own(otherPrompt, at + 2), own(prompt, 1), name)
      let shared = 0
      while (shared < prompt.length && prompt[shared] === otherPrompt[shared]) shared += 1
      assert.ok(
        shared === prompt.length || shared > prompt.indexOf('Working directory'),
        `${name} differs at ${shared}`,
      )
    }
  }
})

const sessionOf = (name: string, n: number) => ({ id: `${name}-${n}`, source: faces[name]?.face.name ?? name })

function statusOf(events: readonly NumberedEvent[]): string | undefined {
  const end = events.at(-1)
  return end?.type === 'turn-end' ? end.status : undefined
}
