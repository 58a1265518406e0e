import { totalmem } from 'node:os'
import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import { ModelError } from '../model-error.ts'
import type { ModelProvider, ResolvedModel } from '../model.ts'
import { localProvider } from '../providers/in-process.ts'
import { answer, usualSampling } from './answer.ts'
import type { Sampling } from './answer.ts'
import { readGgufHeader } from './gguf-header.ts'
import { loadModel } from './loaded-model.ts'
import { listModelFiles } from './list-model-files.ts'
import { findModelFile } from './model-files.ts'
import { createModelSlot } from './model-slot.ts'
import { loadRuntime } from './runtime.ts'
import { windowFor } from './window.ts'

export interface LocalModelsOptions {
  /** Whose model files and runtime are used. */
  readonly home: Home | undefined
  readonly environment: Environment
  /** The machine's memory, bytes. */
  readonly memoryBytes?: number
  /** How long a model that nobody uses stays in memory, ms. */
  readonly idleMs?: number
  readonly sampling?: Sampling
}

/** Model files that run in this process, one at a time. */
export interface LocalModels extends AsyncDisposable {
  /** The model of a name, a path, or the environment. Reads the file's head alone. Throws `ModelError`. */
  resolve(model: string | undefined, contextLength?: number): Promise<ResolvedModel>
}

export function createLocalModels(options: LocalModelsOptions): LocalModels {
  const { home, environment, memoryBytes = totalmem(), idleMs, sampling = usualSampling } = options
  const slot = createModelSlot({
    load: async (plan, signal) => loadModel(plan, await loadRuntime(home, environment), signal),
    ...(idleMs !== undefined && { idleMs }),
  })
  /** Windows that were asked for, by the model's name; a name that nobody resolved gets the usual one. */
  const configured = new Map<string, number | undefined>()

  const planFor = async (model: string | undefined, contextLength: number | undefined) => {
    const { name, path } = await findModelFile(model, { home, environment })
    const window = windowFor(await readGgufHeader(path), { configured: contextLength, memoryBytes })
    return { name, path, window }
  }

  const provider: ModelProvider = {
    name: localProvider,
    isTextOnly: true,
    async *stream(request, signal) {
      signal.throwIfAborted()
      const { path, window } = await planFor(request.model, configured.get(request.model))
      const { loaded, goesOn, release } = await slot.hold({ path, window }, signal)
      try {
        yield* answer({ loaded, request, sampling, goesOn }, signal)
      } catch (error) {
        signal.throwIfAborted()
        throw runFailure(error)
      } finally {
        release()
      }
    },
    models: () => listModelFiles(home, memoryBytes),
  }

  const resolve = async (model: string | undefined, contextLength?: number): Promise<ResolvedModel> => {
    const { name, window } = await planFor(model, contextLength)
    configured.set(name, contextLength)
    return { provider, model: name, contextLength: window, sibling: (other) => resolve(other) }
  }
  return { resolve, [Symbol.asyncDispose]: () => slot[Symbol.asyncDispose]() }
}

/** What goes wrong in the runtime while it answers; the same call may succeed once memory is free again. */
function runFailure(error: unknown): unknown {
  if (error instanceof ModelError || !(error instanceof Error)) return error
  return new ModelError('server', `The model on this machine failed: ${error.message}`, { cause: error })
}
