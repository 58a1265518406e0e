import { changeMirrors, readMirrors } from '@hermes/gateway/mirrors/mirrors.ts'
import type { Mirror } from '@hermes/gateway/mirrors/mirrors.ts'
import type { Cli, Command, CommandInput } from '../../command.ts'
import { CommandError, UsageError } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { tellUnknownTarget } from '../tell-what-is-missing.ts'
import { usableProfile } from './usable-profile.ts'

/** `platform:chat` or `platform:chat:thread`. */
const place = /^[a-z_]+:\S+$/

const add: Command = {
  name: 'add',
  summary: 'Show what is said in one chat in another one, too',
  positionals: '<from> <to>',
  async run({ positionals: [from = '', to = ''] }, cli) {
    for (const one of [from, to]) {
      if (place.test(one)) continue
      throw new UsageError(`hermes gateway mirror add: "${one}" is no chat; write PLATFORM:CHAT[:THREAD], twice.`)
    }
    if (from === to) throw new UsageError('hermes gateway mirror add: that is one chat twice.')
    const profile = await usableProfile(cli)
    await changeMirrors(profile.home, (mirrors) => [
      ...mirrors.filter((one) => !isSame(one, { from, to })),
      { from, to },
    ])
    await writeOut(cli, `✓ What is said in ${from} is shown in ${to}, from the next answer on.\n`)
    for (const one of [from, to]) tellUnknownTarget(one, profile, cli)
    return 0
  },
}

const remove: Command = {
  name: 'remove',
  summary: 'No longer',
  positionals: '<from> [to]',
  async run({ positionals: [from, to] }, cli) {
    if (!from) throw new UsageError('hermes gateway mirror remove: say which chat.')
    const { home } = await usableProfile(cli)
    const isMeant = (one: Mirror) => one.from === from && (to === undefined || one.to === to)
    const count = (await readMirrors(home)).filter(isMeant).length
    if (count === 0) throw new CommandError(`${from} has no such mirror; "hermes gateway mirror list" shows them.`)
    await changeMirrors(home, (mirrors) => mirrors.filter((one) => !isMeant(one)))
    await writeOut(cli, `✓ ${count} ${count === 1 ? 'mirror' : 'mirrors'} removed.\n`)
    return 0
  },
}

const list: Command = {
  name: 'list',
  summary: 'Which there are',
  options: { json: { type: 'boolean', description: 'For programs' } },
  run: listMirrors,
}

export const mirror: Command = {
  name: 'mirror',
  summary: 'Show what is said in one chat in another one, too',
  options: list.options ?? {},
  subcommands: [add, list, remove],
  examples: ['hermes gateway mirror add telegram:7 discord:1234', '"hermes gateway channels list" shows the ids'],
  run: listMirrors,
}

async function listMirrors({ options }: CommandInput, cli: Cli): Promise<number> {
  const asJson = options['json'] === true
  const { home } = await usableProfile(cli)
  const mirrors = await readMirrors(home)
  if (asJson) await writeJson(cli, mirrors)
  else {
    const lines = mirrors.map(({ from, to }) => cleanLine(`${from} → ${to}`))
    await writeOut(cli, `${lines.length > 0 ? lines.join('\n') : 'There are no mirrors.'}\n`)
  }
  return 0
}

function isSame(one: Mirror, other: Mirror): boolean {
  return one.from === other.from && one.to === other.to
}
