import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readFile } from '../tools/read-file.ts'
import { searchFiles } from '../tools/search-files.ts'
import { testContext } from '../tools/test-context.ts'
import { findDangers } from './commands/dangerous-commands.ts'
import { isCredentialFile, isCredentialName } from './credential-files.ts'

test('names tell files with credentials from those that are kept for everybody to see', () => {
  const secret = [
    '.env',
    '.ENV',
    '.env.local',
    '.env.foo',
    '.env.prod.bak',
    '.envrc',
    'id_ed25519',
    '.netrc',
    'auth.json',
  ]
  for (const name of secret) assert.ok(isCredentialName(name), name)
  const open = [
    '.env.example',
    '.env.local.sample',
    '.env.template',
    '.env.d.ts',
    'env.ts',
    'id_rsa.pub',
    'a.env',
    'author.json',
  ]
  for (const name of open) assert.ok(!isCredentialName(name), name)
})

test('where the name does not tell, what is in the file does', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'credential-files-'))
  try {
    const files: readonly (readonly [string, string, boolean])[] = [
      ['.npmrc', 'registry=https://registry.npmjs.org/\n', false],
      ['.npmrc', '//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n', false],
      ['.npmrc', '//registry.npmjs.org/:_authToken=npm_abcdef\n', true],
      ['.pypirc', '[pypi]\nusername = x\npassword = y\n', true],
      ['cert.pem', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n', false],
      ['server.pem', '-----BEGIN EC PRIVATE KEY-----\nMIIB\n', true],
      ['tls.key', '-----BEGIN PRIVATE KEY-----\nMIIB\n', true],
      ['slides.key', 'PK\u0003\u0004', false],
    ]
    for (const [name, content, expected] of files) {
      const path = join(dir, name)
      await writeFile(path, content)
      assert.equal(await isCredentialFile(path), expected, `${name}: ${content}`)
      const keys = (
        await findDangers(`cat ${name}`, { cwd: dir, userHome: '/home/ann', hermesHome: '/home/ann/.hermes' })
      ).map(({ key }) => key)
      assert.deepEqual(keys, expected ? ['read of credentials'] : [], `${name}: ${content}`)
    }
    execFileSync('mkfifo', [join(dir, 'pipe.pem')])
    assert.equal(await isCredentialFile(join(dir, 'pipe.pem')), false, 'a pipe is not waited for')
  } finally {
    await rm(dir, { recursive: true })
  }
})

test('the file tools read a file with credentials when a person agrees, whatever it is called', async () => {
  const files = { '.env': 'TOKEN=q8Zr2Lk9Vt4Xw7Yb\n', 'notes.txt': 'TOKEN elsewhere\n' }
  const asked: string[] = []
  let choice: 'once' | 'deny' = 'deny'
  await using t = await testContext({
    files,
    decide: async (question) => {
      if (question.kind === 'approval') asked.push(question.reason)
      return { kind: 'approval', choice }
    },
  })
  await symlink('.env', t.path('readme'))
  for (const path of ['.env', 'readme', './x/../.env']) {
    const refused = await t.run(readFile, { path })
    assert.equal(refused.status, 'denied', path)
    assert.ok(!refused.content.includes('TOKEN'), path)
  }
  assert.equal((await t.run(searchFiles, { pattern: 'TOKEN', path: '.env' })).status, 'denied')
  const found = await t.run(searchFiles, { pattern: 'TOKEN' })
  assert.ok(found.content.includes('notes.txt') && !found.content.includes('.env'))
  assert.deepEqual(new Set(asked), new Set(['read of credentials']))
  choice = 'once'
  const shown = await t.run(readFile, { path: '.env' })
  assert.match(shown.json.content, /TOKEN=/)
  assert.ok(!shown.content.includes('q8Zr2Lk9Vt4Xw7Yb'), 'values are masked all the same')
})
