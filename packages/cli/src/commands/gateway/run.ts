import { ConfigError } from '@hermes/core/config/config-error.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import type { GatewayControl } from '@hermes/gateway/life/control.ts'
import type { GatewayEnd } from '@hermes/gateway/life/run-gateway.ts'
import type { Supervisor } from '@hermes/gateway/life/supervisor.ts'
import { wakeCompilers, wakeCompilersUnderLoad } from '../../code/resting-compilers.ts'
import { createV8Flags } from '../../code/v8-flags.ts'
import type { Cli, Command } from '../../command.ts'
import { CommandError } from '../../command.ts'
import { bringSkills } from './bring-skills.ts'
import { chosenChats, chosenPositionals, readChosen, switchedOn } from './chosen.ts'
import type { Chosen } from './chosen.ts'
import { metricsOf } from './metrics-of.ts'
import { restartHere, tellStarter } from './own-process.ts'
import { servicesOf } from './services-of.ts'
import { steadyHeap } from './steady-heap.ts'

export const run: Command = {
  name: 'run',
  summary: 'Run the gateway here, until it is stopped; with names, only these platforms (or api_server)',
  positionals: chosenPositionals,
  options: {
    replace: { type: 'boolean', description: 'End the gateway of this profile that runs already' },
    verbose: {
      type: 'boolean',
      short: 'v',
      multiple: true,
      description: 'Show its log as well; -vv: with all details',
    },
    quiet: { type: 'boolean', short: 'q', description: 'Say nothing' },
  },
  async run({ positionals, options }, cli) {
    const { createGatewayControl } = await import('@hermes/gateway/life/control.ts')
    const { supervisorOf } = await import('@hermes/gateway/life/supervisor.ts')
    const control = createGatewayControl()
    const supervisor = supervisorOf(cli.environment, process)
    cli.ownSignals?.((signal) => takeSignal(signal, control, cli))
    const talk: Talk = { isQuiet: options['quiet'] === true, details: [options['verbose'] ?? []].flat().length }
    const isReplacing = options['replace'] === true
    const end = await runHere({ control, isReplacing, talk, chosen: readChosen(positionals) }, supervisor, cli)
    return end.type === 'restart' ? restartHere(supervisor, cli) : exitCodeOf(end, supervisor)
  },
}

/** SIGUSR1 is a restart; SIGHUP has settings read again, unless it is the terminal that it runs in which closes. */
function takeSignal(signal: NodeJS.Signals, control: GatewayControl, { stdin, stderr }: Cli): boolean {
  if (signal === 'SIGUSR1') control.restart()
  const isReload = signal === 'SIGHUP' && !stdin.isTTY && !stderr.isTTY
  if (isReload) control.reload()
  return isReload || signal === 'SIGUSR1'
}

/** What is shown of what happens. */
interface Talk {
  readonly isQuiet: boolean
  /** How often more was asked for. */
  readonly details: number
}

interface GatewayRun {
  readonly control: GatewayControl
  readonly isReplacing: boolean
  readonly talk: Talk
  readonly chosen: Chosen
}

async function runHere(
  { control, isReplacing, talk, chosen }: GatewayRun,
  supervisor: Supervisor | undefined,
  cli: Cli,
): Promise<GatewayEnd> {
  const flags = cli.v8Flags ?? createV8Flags()
  const { createContext } = await import('@hermes/core/agent/create-context.ts')
  const { openLastProfile, openProfile } = await import('@hermes/core/config/open-profile.ts')
  const { chatFolder } = await import('@hermes/gateway/life/chat-folder.ts')
  const { rootEnvironment, withRootVariables } = await import('@hermes/gateway/life/root-variables.ts')
  const { runGateway } = await import('@hermes/gateway/life/run-gateway.ts')
  const { refusedExitCode } = await import('@hermes/gateway/life/supervisor.ts')
  const { isAnyMentioned } = await import('@hermes/gateway/platforms/mentioned.ts')
  const tell = (line: string) => void (talk.isQuiet || cli.stderr.write(`${line}\n`))
  const asAsked = (profile: Profile) => asDetailed(switchedOn(profile, chosen), talk)
  const reread = async () => asAsked(await withRootVariables(await openProfile(cli.environment)))
  /** Settings that cannot be used end no gateway that ran with others before. */
  const firstRead = async () => {
    try {
      return { profile: await reread() }
    } catch (error) {
      const last = error instanceof ConfigError ? openLastProfile(cli.environment) : undefined
      if (!(error instanceof ConfigError) || !last) throw error
      return { profile: asAsked({ ...last, environment: rootEnvironment(last) }), fault: error.message }
    }
  }
  try {
    const { profile, fault } = await firstRead()
    if (fault !== undefined) {
      tell(`! ${fault}`)
      tell('! The gateway starts with the settings that were right last. Mend them: they are taken up at once.')
    }
    // Platforms ask for news again and again, and make a start long.
    if (isAnyMentioned(profile)) wakeCompilers(flags)
    await using _shown = talk.details > 0 ? await shownLog(profile, talk, cli) : undefined
    const metrics = await metricsOf(profile)
    await using agent = await createContext({
      environment: cli.environment,
      cwd: chatFolder(profile.environment, cli.cwd),
      profile,
      component: 'gateway',
      observers: metrics ? [metrics.observer] : [],
    })
    if (fault !== undefined)
      agent.log.error({ error: fault }, 'the settings are wrong; those that were right last hold')
    const services = [...(await servicesOf(agent, chosen)), ...(metrics ? [metrics.service] : [])]
    await using whileRunning = new AsyncDisposableStack()
    const onRunning = () => {
      tellStarter()
      whileRunning.use(steadyHeap(flags))
      whileRunning.use(wakeCompilersUnderLoad(flags))
      whileRunning.use(bringSkills(agent))
    }
    const only = chosenChats(chosen)
    const end = await runGateway({ agent, tell, services, control, reread, only, isReplacing, onRunning }, cli.signal)
    // What is missing may stand in a line that is not read.
    if (end.type === 'nothing-to-do') for (const notice of profile.notices.slice(0, maxNotices)) tell(`! ${notice}`)
    return end
  } catch (error) {
    if (error instanceof ConfigError)
      throw new CommandError(error.message, refusedExitCode(supervisor), { cause: error })
    if (isApiServerError(error)) throw new CommandError(error.message, 1, { cause: error })
    throw error
  }
}

/** How many wrong lines of the settings are told; "hermes config check" tells all. */
const maxNotices = 10

/** The gateway's own lines, or all of them. */
async function shownLog(profile: Profile, { details }: Talk, cli: Cli): Promise<AsyncDisposable> {
  const { showLog } = await import('./show-log.ts')
  return showLog(profile, details > 1 ? 'agent.log' : 'gateway.log', cli)
}

/** Details are logged where somebody wants to see them. */
function asDetailed(profile: Profile, { details }: Talk): Profile {
  const { config } = profile
  return details > 1 ? { ...profile, config: { ...config, logging: { ...config.logging, level: 'DEBUG' } } } : profile
}

async function exitCodeOf(end: GatewayEnd, supervisor: Supervisor | undefined): Promise<number> {
  const { refusedExitCode } = await import('@hermes/gateway/life/supervisor.ts')
  if (end.type === 'running') {
    const how = 'Stop it with "hermes gateway stop", or take its place with --replace.'
    throw new CommandError(`The gateway of this profile runs already (pid ${end.pid}). ${how}`)
  }
  if (end.type !== 'nothing-to-do') return 0
  const what =
    end.incomplete.length > 0
      ? `Nothing can run yet. ${end.incomplete.join(' ')}`
      : 'No chat platform is set up, no phone, no API server, and no scheduled job.'
  throw new CommandError(`${what} "hermes gateway setup" asks for what is needed.`, refusedExitCode(supervisor))
}

/** By its name: importing the class would load the server. */
function isApiServerError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ApiServerError'
}
