import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { test } from 'node:test'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import { deliverAnswer } from './deliver.ts'
import { commentTarget } from './github-comment.ts'

const never = new AbortController().signal
const payload = { repository: { full_name: 'ann/app' }, pull_request: { number: 12 } }

/** A home with a `gh` of its own that notes what it is called with, then does `more`. */
async function open(more = '') {
  const home = await temporaryHome()
  await mkdir(home.path('bin'))
  const note = home.path('gh.txt')
  await writeFile(home.path('bin', 'gh'), `#!/bin/sh\n{ echo "$@"; cat; echo; env; } > "${note}"\n${more}\n`)
  await chmod(home.path('bin', 'gh'), 0o700)
  const environment = {
    ...home.environment,
    PATH: `${home.path('bin')}${delimiter}${process.env['PATH']}`,
    GH_TOKEN: 'gh-made-up',
    OPENAI_API_KEY: 'sk-made-up',
  }
  const courier = { find: async () => undefined, deliver: async () => {} }
  return {
    note: () => readFile(note, 'utf8'),
    environment,
    deliver: (
      target: string,
      text = '--body tricks\nand more',
      env: typeof environment | { PATH: string } = environment,
    ) =>
      deliverAnswer(
        {
          key: 'k',
          chatId: 'webhook:ci:1',
          part: { type: 'text', text },
          delivery: { at: 0, route: 'ci', target, isTaken: true },
        },
        { home, log: silentLogger, courier, environment: env },
        never,
      ),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  }
}

test('an answer becomes a comment of the pull request that the event is about, by gh and with none of our keys', async () => {
  await using t = await open()
  await t.deliver(commentTarget({}, payload))
  const noted = await t.note()
  assert.match(noted, /^pr comment 12 --repo ann\/app --body-file -\n--body tricks\nand more\n/)
  assert.match(noted, /GH_TOKEN=gh-made-up/)
  assert.doesNotMatch(noted, /sk-made-up/)
})

test('a route names repository and number, also by templates; issues count too', () => {
  assert.equal(commentTarget({ repo: 'a/b', pr_number: '{number}' }, { number: 3 }), 'github_comment:a/b#3')
  assert.equal(commentTarget({ repo: 'a/b' }, { issue: { number: 4 } }), 'github_comment:a/b#4')
})

test('what an event says is no argument of the program, and what fails says why', async () => {
  await using t = await open('echo "GraphQL: Could not resolve to a PullRequest" >&2; exit 1')
  const odd = { repository: { full_name: '--web/x' }, pull_request: { number: '1; rm' } }
  await assert.rejects(t.deliver(commentTarget({}, odd)), { code: 'refused', message: /no pull request/ })
  await assert.rejects(t.deliver(commentTarget({}, {})), { code: 'refused', message: /deliver_extra/ })
  await assert.rejects(t.deliver('github_comment:a/b#1'), { code: 'refused', message: /GraphQL/ })
  await assert.rejects(t.deliver('github_comment:a/b#1', 'x', { PATH: '/nowhere' }), { message: /cli\.github\.com/ })
})

test('a network that is away is told as such, so that it is tried again', async () => {
  await using t = await open('echo "error connecting to api.github.com" >&2; exit 1')
  await assert.rejects(t.deliver('github_comment:a/b#1'), { code: 'unreachable' })
})
