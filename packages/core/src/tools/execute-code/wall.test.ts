import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Decide } from '../../agent/decision.ts'
import { testSession } from '../test-session.ts'
import { executeCode } from './execute-code.ts'
import type { ScriptLanguage } from './script-dangers.ts'

/** Ways around the guards within the runtimes, in words that look harmless. */
const aroundGuards: Readonly<Record<ScriptLanguage, (port: number) => readonly string[]>> = {
  python: (port) => {
    const reach = `import enum, functools
box = []
Taker = type('T', (), {'__setattr__': lambda self, name, value: box.append(value)})
def reach(thing, name):
    box.clear()
    functools.update_wrapper(Taker(), thing, assigned=(name,), updated=())
    return box[0]
load = reach(enum.bltns, '__import__')
main = reach(load('sy' + 's'), 'modules')['__main__']
put = reach(enum.bltns, 'seta' + 'ttr')
put(main, '_watch', None)
put(main, '_refused', ())
put(main, '_readable', ('/',))
put(main, 'isinstance', lambda *them: False)
put(main, 'os', type('O', (), {'path': type('P', (), {'realpath': str}), 'fsdecode': str}))
system, reader, s = load('o' + 's'), reach(enum.bltns, 'o' + 'pen'), load('so' + 'cket')
def tell(what, *args):
    try:
        print('REACHED', what(*args))
    except BaseException as error:
        print('kept', type(error), error)
`
    return [
      `tell(lambda: reader('/e' + 'tc/passwd').read()[:9])`,
      `tell(lambda: reader('/pr' + 'oc/self/environ').read()[:9])`,
      `tell(lambda: reader(WORK + '/out.txt', 'w'))`,
      `tell(lambda: reach(system, 'system')('touch ' + WORK + '/out.txt') or 'ran' if system.path.exists(WORK + '/out.txt') else 1 / 0)`,
      `tell(lambda: reach(system, 'popen')('id').read())`,
      `tell(reach(system, 'fork'))`,
      `tell(reach(system, 'kill'), reach(system, 'getppid')(), 0)`,
      `tell(reach(system, 'chmod'), WORK, 0o777)`,
      `tell(reach(s, 'create_connection'), ('127.0.0.1', ${port}), 2)`,
      `tell(reach(s, 'so' + 'cket'), 1)`,
    ].map((attempt) => reach + attempt)
  },
  javascript: (port) => {
    const reach = `const word = (...parts) => parts.join('')
const Pipe = console._stdout[word('constr', 'uctor')]
const tell = (what) => new Promise((resolve) => what(resolve)).then((it) => console.log(it))
`
    return [
      `await tell((done) => { const p = new Pipe(); p.on('connect', () => done('REACHED')); p.on('error', (error) => done('kept ' + error)); p.connect(${port}, '127.0.0.1') })`,
      `await tell((done) => { const p = new Pipe(); p.on('connect', () => done('REACHED')); p.on('error', (error) => done('kept ' + error)); p.connect({ path: SOCKET }) })`,
    ].map((attempt) => reach + attempt)
  },
}

/** A session, and servers beside it that nobody should reach. */
async function outside(environment: Record<string, string> = {}, choice: 'once' | 'deny' = 'deny') {
  let asked = 0
  const decide: Decide = async () => {
    asked++
    return { kind: 'approval', choice }
  }
  const session = await testSession({ decide, environment })
  const path = join(session.dir, 'other.sock')
  let reached = 0
  const servers = [createServer(), createServer()] as const
  for (const server of servers) server.on('connection', (socket) => socket.destroy(void reached++))
  servers[0].listen(0, '127.0.0.1')
  servers[1].listen(path)
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const address = servers[0].address()
  assert.ok(address !== null && typeof address === 'object')
  return {
    dir: session.dir,
    path,
    port: address.port,
    run: (code: string, language: ScriptLanguage) => session.run(executeCode, { code, language }),
    counts: () => ({ asked, reached }),
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close()
      await session[Symbol.asyncDispose]()
    },
  }
}

for (const language of ['python', 'javascript'] as const) {
  test(`a ${language} script that gets around the guard of its language reaches nothing`, async () => {
    await using place = await outside()
    for (const attempt of aroundGuards[language](place.port)) {
      const code = attempt
        .replaceAll('WORK', JSON.stringify(place.dir))
        .replaceAll('SOCKET', JSON.stringify(place.path))
      const { json } = await place.run(code, language)
      assert.match(json.output, /kept/, code)
      assert.doesNotMatch(json.output, /REACHED/, code)
    }
    assert.deepEqual(place.counts(), { asked: 0, reached: 0 })
    assert.ok(!existsSync(join(place.dir, 'out.txt')))
  })
}

test('where no wall can be built around a script, it runs with consent and not without', async () => {
  const code = 'console.log(1 + 1)'
  await using denying = await outside({ PATH: '/nowhere' })
  assert.equal((await denying.run(code, 'javascript')).status, 'denied')
  await using agreeing = await outside({ PATH: '/nowhere' }, 'once')
  assert.equal((await agreeing.run(code, 'javascript')).json.output, '2')
  assert.deepEqual([denying.counts().asked, agreeing.counts().asked], [1, 1])
})
