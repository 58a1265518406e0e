import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { exportSnapshot, importSnapshot, parseSnapshot } from '@hermes/core/skills/hub/snapshot.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { type Cli, type Command, CommandError } from '../../command.ts'
import { version } from '../../version.ts'
import { columnLines } from '../sessions/columns.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { installConsent } from './consent.ts'
import { onlyPositional, widthOf, withHub } from './with-skills.ts'

const exportCommand: Command = {
  name: 'export',
  summary: 'Write a list of installed skills and taps; - for stdout',
  positionals: '<output>',
  async run(input, cli) {
    const output = onlyPositional(input, 'snapshot export <output>')
    return withHub(cli, async (hub) => {
      const snapshot = await exportSnapshot(hub, version)
      const text = `${JSON.stringify(snapshot, null, 2)}\n`
      if (output === '-') await writeOut(cli, text)
      else {
        await writeFileAtomic(resolve(cli.cwd, output), text, { mode: 0o644 })
        cli.stderr.write(`${snapshot.skills.length} skills and ${snapshot.taps.length} taps are in ${output}.\n`)
      }
      return 0
    })
  },
}

const importCommand: Command = {
  name: 'import',
  summary: 'Install what such a list names; - for stdin',
  positionals: '<input>',
  options: {
    force: { type: 'boolean', description: 'Also what is there already, and against the guard' },
    yes: { type: 'boolean', short: 'y', description: 'Do not ask' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run(input, cli) {
    const { options } = input
    const path = onlyPositional(input, 'snapshot import <input>')
    return withHub(cli, async (hub) => {
      const snapshot = parseSnapshot(await textOf(path, cli))
      const consent = { force: options['force'] === true, confirm: installConsent(cli, options['yes'] === true) }
      const results = await importSnapshot(hub, snapshot, consent, cli.signal)
      if (options['json'] === true) await writeJson(cli, results)
      else {
        const rows = results.map((one) => [one.name, one.status, one.reason ?? ''])
        await writeOut(
          cli,
          `${columnLines([{ heading: 'Name' }, { heading: 'Status' }, { heading: '', isFlexible: true }], rows, widthOf(cli)).join('\n')}\n`,
        )
      }
      return results.some(({ status }) => status === 'failed') ? 1 : 0
    })
  },
}

export const snapshot: Command = {
  name: 'snapshot',
  summary: 'Carry installed skills over to another home',
  subcommands: [exportCommand, importCommand],
}

async function textOf(path: string, cli: Cli): Promise<string> {
  if (path === '-') {
    const pieces: Buffer[] = []
    for await (const piece of cli.stdin) pieces.push(Buffer.from(piece))
    return Buffer.concat(pieces).toString('utf8')
  }
  try {
    return await readFile(resolve(cli.cwd, path), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new CommandError(`${path} cannot be read (${String(error.code)}).`, 1, { cause: error })
    throw error
  }
}
