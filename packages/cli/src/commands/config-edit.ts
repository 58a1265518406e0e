import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { refuseWhenManaged } from '@hermes/core/config/edit.ts'
import { ensureHome } from '@hermes/core/config/home.ts'
import { writePrivateFile } from '@hermes/core/config/private-file.ts'
import { type Cli, CommandError, type CommandInput } from '../command.ts'
import { openConfigContext, orCommandError, wanted } from './config-context.ts'

const firstText = `# Settings of Hermes. "hermes config list" shows them all, "hermes config explain KEY" tells about one.
`

/** `config edit`: opens the file in the person's editor and checks what comes out. */
export async function editInEditor(input: CommandInput, cli: Cli): Promise<number> {
  wanted(input, 'edit', '', 0)
  const context = openConfigContext(cli)
  const path = context.home.path('config.yaml')
  await orCommandError(async () => {
    refuseWhenManaged(context.home, context.environment)
    ensureHome(context.home, context.environment)
    if (!existsSync(path)) await writePrivateFile(path, firstText)
  })
  const editor = await editorOf(cli)
  const code = await runEditor(editor, path, cli)
  if (code !== 0) throw new CommandError(`${editor} ended with ${code}.`)
  const { warnings } = await orCommandError(context.load)
  for (const { message } of warnings) cli.stderr.write(`! ${message}\n`)
  cli.stdout.write(`✓ ${path} is in order\n`)
  return 0
}

async function editorOf({ environment }: Cli): Promise<string> {
  const named = environment['EDITOR'] || environment['VISUAL']
  if (named) return named
  for (const program of ['nano', 'vim', 'vi', 'code --wait', 'notepad']) {
    if (await isOnPath(program.split(' ')[0] ?? '', environment['PATH'] ?? '')) return program
  }
  throw new CommandError('No editor was found. Set EDITOR, or edit the file that "hermes config path" prints.')
}

async function isOnPath(program: string, path: string): Promise<boolean> {
  for (const folder of path.split(delimiter)) {
    const found = await access(join(folder, program), constants.X_OK).then(
      () => true,
      () => false,
    )
    if (folder !== '' && found) return true
  }
  return false
}

/** EDITOR may have arguments and quotes of its own, so a shell reads it; the path is handed over apart. */
function runEditor(editor: string, path: string, { environment, cwd, signal }: Cli): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { stdio: 'inherit', env: environment, cwd, signal } as const
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], options)
    child.on('error', reject)
    child.on('close', (code, killedBy) => resolve(code ?? (killedBy ? 1 : 0)))
  })
}
