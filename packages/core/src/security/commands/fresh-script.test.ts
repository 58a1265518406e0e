import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isForModels } from '../consent/smart-judge.ts'
import { findDangers } from './dangerous-commands.ts'

/** What is found in command lines that run in a folder with some files. */
async function folderWith(files: Readonly<Record<string, string>>) {
  const cwd = await mkdtemp(join(tmpdir(), 'hermes-fresh-'))
  await mkdir(join(cwd, 'sub'))
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(cwd, name), text)
    await chmod(join(cwd, name), 0o755)
  }
  const place = { cwd, userHome: '/home/ann', hermesHome: '/home/ann/.hermes' }
  return {
    cwd,
    found: (command: string) => findDangers(command, place),
    dangers: async (command: string) => (await findDangers(command, place)).map(({ key }) => key),
    [Symbol.asyncDispose]: () => rm(cwd, { recursive: true, force: true }),
  }
}

test('a command in a script that was just written is judged as if it stood in the line', async () => {
  await using folder = await folderWith({
    'x.sh': '#!/bin/bash\nrm -rf ~/x\n',
    plain: 'git push --force\n',
    'sub/y.sh': 'crontab -\n',
    'leads.sh': 'cd sub && sh ./y.sh\n',
    'writes.sh': 'echo alias ls=rm >> ~/.bashrc\n',
  })
  const cases = {
    'bash x.sh': 'recursive delete',
    './x.sh now': 'recursive delete',
    '. ./x.sh': 'recursive delete',
    'sh -e x.sh': 'recursive delete',
    'cat x.sh | sh': 'recursive delete',
    'sh < x.sh': 'recursive delete',
    'f=x; bash "$f.sh"': 'recursive delete',
    'sudo -n env A=1 ./x.sh': 'recursive delete',
    './plain': 'git force push',
    'cd sub; ./y.sh': 'change of scheduled jobs',
    './leads.sh': 'change of scheduled jobs',
    './writes.sh': 'overwrite system or protected file',
  }
  for (const [command, key] of Object.entries(cases)) {
    const dangers = await folder.dangers(command)
    assert.ok(dangers.includes(key), `${command}: ${dangers.join()}`)
  }
})

test('what nobody can judge in a script asks nothing, nor do other programs and scripts that run themselves', async () => {
  await using folder = await folderWith({
    'build.sh': '#!/bin/sh\nset -e\neval "set -- $ARGS"\nexec "$JAVACMD" "$@"\n',
    'broken.sh': 'if then (\n',
    'tool.py': '#!/usr/bin/env python3\nrm = 1\n',
    'again.sh': './again.sh; sh again.sh; echo again\n',
    program: '\u007fELF\0rm -rf ~/x\n',
  })
  for (const command of ['./build.sh', 'sh broken.sh', './tool.py', './again.sh', './program', './missing.sh']) {
    assert.deepEqual(await folder.dangers(command), [], command)
  }
  assert.ok((await folder.dangers('./build.sh && rm -rf ~')).includes('recursive delete'))
})

test('no model decides on a script whose text it does not see', async () => {
  await using folder = await folderWith({ 'x.sh': 'rm -rf ~/x\n' })
  assert.equal(isForModels('rm -rf build', await folder.found('rm -rf build'), folder.cwd), true)
  assert.equal(isForModels('sh x.sh', await folder.found('sh x.sh'), folder.cwd), false)
})
