import type { OpenContext } from '@hermes/core/agent/create-context.ts'
import { refuseWhenManaged } from '@hermes/core/config/edit.ts'
import { fetchModel } from '@hermes/core/models/local/fetch/fetch-model.ts'
import { installRuntime, runtimeBytes } from '@hermes/core/models/local/fetch/install-runtime.ts'
import { installedRuntime, runtimeFolder, runtimeVersion } from '@hermes/core/models/local/runtime.ts'
import { modelReference } from '@hermes/core/models/model-reference.ts'
import { createHttpClient } from '@hermes/core/models/net/http-client.ts'
import { localProvider } from '@hermes/core/models/providers/in-process.ts'
import { type Cli, CommandError } from '../../../command.ts'
import { configureModel } from '@hermes/core/models/choice/configure-model.ts'
import { modelLine } from '@hermes/core/models/choice/model-text.ts'
import { confirm } from '../../sessions/confirm.ts'
import { writeOut } from '../../sessions/write-out.ts'
import { withAgent } from '../with-agent.ts'
import { byteCount } from './byte-count.ts'
import { fetchProgress } from './fetch-progress.ts'
import { type WantedFile, wantedFile } from './wanted-file.ts'

export interface LocalModelOptions {
  /** Undefined: the model that we suggest. */
  readonly wanted: string | undefined
  readonly sha256: string | undefined
  readonly reinstall: boolean
  readonly isYes: boolean
}

/** Says what is missing and how large it is, asks, fetches it, and makes the file the configured model. */
export function useLocalModel(options: LocalModelOptions, cli: Cli): Promise<number> {
  return withAgent(cli, async (agent) => {
    const { home, environment } = agent
    refuseWhenManaged(home, environment)
    const file = await wantedFile(
      options.wanted,
      { agent, cwd: cli.cwd, http: createHttpClient(environment) },
      cli.signal,
    )
    const needsRuntime = options.reinstall || installedRuntime(home, environment) === undefined
    const plan = planLines(file, needsRuntime, agent)
    if (plan.length > 0) {
      cli.stderr.write(`This fetches:\n${plan.map((line) => `  ${line}\n`).join('')}`)
      if (!options.isYes && !(await confirm('Fetch it?', cli))) throw new CommandError('Nothing was fetched.')
    }
    if (needsRuntime) await install(agent, cli)
    if (file.type === 'remote') await fetchFile(file, options.sha256, agent, cli)
    const resolved = await agent.models.resolve(modelReference(localProvider, file.model), cli.signal)
    await configureModel(resolved, agent, cli.signal)
    await writeOut(cli, `${modelLine(resolved)}\nSaved to ${home.path('config.yaml')}.\n`)
    return 0
  })
}

function planLines(file: WantedFile, needsRuntime: boolean, { home }: OpenContext): readonly string[] {
  const model =
    file.type === 'remote'
      ? [
          `${file.remote.source.fileName}, ${byteCount(file.remote.bytes)}, from ${file.remote.source.url} to ${file.path}`,
        ]
      : []
  const runtime = `node-llama-cpp ${runtimeVersion}, which runs it, about ${byteCount(runtimeBytes)}, from npm to ${runtimeFolder(home)}`
  return needsRuntime ? [...model, runtime] : model
}

async function install({ home, environment }: OpenContext, cli: Cli): Promise<void> {
  cli.stderr.write(`Installing node-llama-cpp ${runtimeVersion} …\n`)
  await installRuntime(home, environment, cli.signal)
}

async function fetchFile(
  { remote, path }: Extract<WantedFile, { type: 'remote' }>,
  sha256: string | undefined,
  { environment }: OpenContext,
  cli: Cli,
): Promise<void> {
  const file = sha256 === undefined ? remote : { ...remote, sha256: sha256.toLowerCase() }
  const progress = fetchProgress(remote, cli)
  const options = { http: createHttpClient(environment), onProgress: progress.update }
  try {
    await fetchModel(file, path, options, cli.signal)
    progress.end()
  } catch (error) {
    progress.end()
    if (cli.signal.aborted) cli.stderr.write('Stopped. The same command goes on from here.\n')
    throw error
  }
  if (file.sha256 === undefined) cli.stderr.write('Its server tells no checksum, so only its size was checked.\n')
}
