import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandChanges } from './command-changes.ts'

const place = { cwd: '/work', userHome: '/home/ann', hermesHome: '/home/ann/.hermes' }

const destructive = [
  'rm a',
  'cd src && rm -rf build',
  'mv a b',
  'rmdir empty',
  "sed -i 's/a/b/' file",
  'truncate -s 0 log',
  'dd if=/dev/zero of=disk',
  'shred key',
  'git reset --hard',
  'git -C lib checkout .',
  'git stash && ls',
  'echo x > file',
  'cat <<E > file\nx\nE',
  'printf x | tee file',
  'find . -name "*.ts" -delete',
  'find . | xargs rm',
  'bash -c "rm x"',
  'for f in *; do mv "$f" old; done',
  'cp a b',
  'if true; then rm a; fi',
  'echo $(rm a)',
  'eval "$x"',
  'unclosed "quote',
]

const harmless = [
  'ls -la',
  'cat rm',
  'echo rm a',
  'grep -r "git reset" .',
  'git status',
  'git log',
  'true > /dev/null',
  'npm test 2>&1 | tail',
]

for (const command of destructive) {
  test(`${JSON.stringify(command)} may change files`, () => {
    assert.equal(commandChanges(command, place).isDestructive, true)
  })
}

for (const command of harmless) {
  test(`${JSON.stringify(command)} changes no files`, () => {
    assert.equal(commandChanges(command, place).isDestructive, false)
  })
}

test('paths that a command names are told', () => {
  assert.deepEqual(commandChanges('cd lib && rm a /srv/app/b', place).paths, ['/work/a', '/work/lib/a', '/srv/app/b'])
  assert.deepEqual(commandChanges('rm "$UNKNOWN"', place).paths, [])
})
