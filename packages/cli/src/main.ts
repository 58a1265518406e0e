import type { V8Flags } from './code/v8-flags.ts'
import type { Cli, Command } from './command.ts'
import { CommandError, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { joinSessionNames } from './optional-values.ts'
import { nearest } from '@hermes/core/text/nearest.ts'
import { commandNames, parseCommand, subcommandNamed } from './parse-arguments.ts'
import { rootCommand } from './root-command.ts'

/**
 * Runs one command line to its end and sets the process's exit code. The only reader of the process's globals. `v8Flags`
 * are those of whoever loads the program's code.
 */
export async function main(argv: readonly string[], v8Flags?: V8Flags): Promise<void> {
  const stop = new AbortController()
  let handle: ((signal: NodeJS.Signals) => boolean) | undefined
  const cli: Cli = {
    environment: process.env,
    cwd: workingFolder(),
    // Most commands read nothing, and opening it loads a part of Node.
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    signal: stop.signal,
    ...(v8Flags && { v8Flags }),
    ownSignals(own) {
      handle = own
      process.on('SIGUSR1', onSignal)
    },
  }
  const onSignal = (signal: NodeJS.Signals) => {
    if (handle?.(signal)) return
    // A second Ctrl-C means now. A terminal that is closed sends its signal twice by itself, and two that stop a service
    // mean no more than one.
    const isNow = signal === 'SIGINT' || (signal === 'SIGTERM' && !handle)
    if (stop.signal.aborted && isNow) process.exit(exitCodes[signal])
    if (stop.signal.aborted) return
    process.exitCode = exitCodes[signal]
    stop.abort(new DOMException(`Stopped by ${signal}.`, 'AbortError'))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The terminal is gone; what is under way still ends in order.
    if (stop.signal.aborted) return
    // A reader that goes away (`hermes sessions list | head -1`) ends the program quietly.
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    process.stderr.write(`hermes: the output cannot be written (${error.code}).\n`)
    process.exit(1)
  })
  // Nobody reads what is said beside the answer (`2>&1 >answer | head -1`), or it has no room: the answer still counts.
  process.stderr.on('error', () => {})
  const code = await run(argv, cli)
  process.exitCode = stop.signal.aborted && !handle ? process.exitCode : code
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1'] as const) process.off(signal, onSignal)
}

/** The working folder; `/` where it was deleted, so that nothing is taken for being in it. */
function workingFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    process.stderr.write('! The folder this was started in is gone; going on in /.\n')
    process.chdir('/')
    return '/'
  }
}

/** Commands that upstream's users know and that are not built yet. */
const notYet: ReadonlySet<string> = new Set(
  'acp backup batch claw dashboard debug doctor dump import logs plugins profile setup status uninstall update whatsapp'.split(
    ' ',
  ),
)

const exitCodes: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

/** Dispatches and turns every failure into a message on stderr and an exit code. */
export async function run(argv: readonly string[], cli: Cli): Promise<number> {
  try {
    return await dispatch(joinSessionNames(argv, new Set(Object.keys(commands))), cli)
  } catch (error) {
    if (cli.signal.aborted) return 130
    if (error instanceof UsageError) {
      const { cleanText } = await import('./repl/clean-text.ts')
      cli.stderr.write(`${cleanText(error.message)}\nTry "hermes --help".\n`)
      return 2
    }
    if (error instanceof CommandError) {
      const { cleanText } = await import('./repl/clean-text.ts')
      cli.stderr.write(`${cleanText(error.message)}\n`)
      return error.exitCode
    }
    return unexpected(error, cli)
  }
}

async function dispatch(argv: readonly string[], outer: Cli): Promise<number> {
  const { selectProfile } = await import('./select-profile.ts')
  const { rest, environment } = await selectProfile(argv, outer.environment)
  // A view, not a copy: what is copied is opened.
  const cli: Cli = Object.create(outer, { environment: { value: environment, enumerable: true } })
  const [first] = rest
  if (first === 'help') return help(rest.slice(1), cli)
  if (first === undefined || first.startsWith('-')) return runParsed(rootCommand, rest, ['hermes'], cli)
  const entry = commandNamed(first)
  if (!entry) {
    if (notYet.has(first)) {
      throw new CommandError(`"hermes ${first}" is not there yet (not_implemented); docs/status.md tells what is.`)
    }
    const meant = nearest(first, Object.keys(commands))
    const hint = meant ? `Did you mean "hermes ${meant}"?` : 'To give it a task, write: hermes -t "..."'
    throw new UsageError(`hermes: unknown command "${first}". ${hint}`)
  }
  return runParsed(await entry.load(), rest.slice(1), ['hermes', first], cli)
}

function commandNamed(name: string) {
  // `constructor` and the like are in every object.
  return Object.hasOwn(commands, name) ? commands[name] : undefined
}

/** Runs the command that `argv` names below `root`. A wrong usage is answered here, with where the help for it is. */
async function runParsed(root: Command, argv: readonly string[], path: readonly string[], cli: Cli): Promise<number> {
  try {
    return await runMeant(root, argv, path, cli)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const { cleanText } = await import('./repl/clean-text.ts')
    cli.stderr.write(`${cleanText(error.message)}\nTry "${commandNames(root, argv, path).join(' ')} --help".\n`)
    return 2
  }
}

async function runMeant(root: Command, argv: readonly string[], path: readonly string[], cli: Cli): Promise<number> {
  const parsed = parseCommand(root, argv, path)
  if (parsed.input.options['version'] === true) return showVersion(cli)
  if (parsed.help || !parsed.command.run) {
    const wanted = parsed.command === rootCommand ? [] : parsed.path.slice(1)
    await help(wanted, cli)
    return argv.includes('--help') || argv.includes('-h') ? 0 : 2
  }
  return parsed.command.run(parsed.input, cli)
}

/** Help of `hermes` itself, or of the (sub)command that `words` name. */
async function help(words: readonly string[], cli: Cli): Promise<number> {
  const { helpText, table } = await import('./help-text.ts')
  const [first, ...rest] = words
  if (first === undefined) {
    const rows = Object.entries(commands).map(([name, entry]) => [name, entry.summary] as const)
    const closing =
      '"hermes COMMAND --help" tells more. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 stopped at a limit, 130 interrupted.'
    const [summary = '', usage = '', ...others] = helpText(rootCommand, ['hermes']).split('\n\n')
    const sections = [summary, `${usage}\n       hermes COMMAND ...`, `Commands:\n${table(rows)}`, ...others]
    cli.stdout.write(`${sections.join('\n\n').trimEnd()}\n\n${closing}\n`)
    return 0
  }
  const entry = commandNamed(first)
  if (!entry) throw new UsageError(`hermes help: there is no command "${first}".`)
  let command = await entry.load()
  const path = ['hermes', first]
  for (const word of rest) {
    const sub = subcommandNamed(command, word)
    if (!sub) throw new UsageError(`hermes help: "${path.join(' ')}" has no command "${word}".`)
    command = sub
    path.push(word)
  }
  cli.stdout.write(helpText(command, path))
  return 0
}

async function showVersion(cli: Cli): Promise<number> {
  const { version } = await import('./version.ts')
  cli.stdout.write(`Hermes Agent v${version}\n`)
  return 0
}

/** Anything nobody expected: what it was, and where to look. The stack is for `--verbose` eyes only. */
async function unexpected(error: unknown, cli: Cli): Promise<number> {
  const message = error instanceof Error ? error.message : String(error)
  const { cleanText } = await import('./repl/clean-text.ts')
  cli.stderr.write(`hermes: ${cleanText(message)}\n`)
  if (cli.environment['HERMES_DEV'] && error instanceof Error) cli.stderr.write(`${error.stack}\n`)
  return 1
}
