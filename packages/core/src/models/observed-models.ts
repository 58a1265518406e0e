import { failureCode } from '../agent/work-observer.ts'
import type { WorkEnd, WorkObserver } from '../agent/work-observer.ts'
import type { ModelEvent, ModelProvider, ModelRequest, ResolvedModel } from './model.ts'
import type { Resolver } from './resolution/resolver.ts'

/** The same resolver, of whose models every call is watched, whoever makes it. */
export function observedResolver(resolver: Resolver, observer: WorkObserver): Resolver {
  const providers = new WeakMap<ModelProvider, ModelProvider>()
  const providerOf = (provider: ModelProvider): ModelProvider => {
    const known = providers.get(provider) ?? observedProvider(provider, observer)
    providers.set(provider, known)
    return known
  }
  const modelOf = (model: ResolvedModel): ResolvedModel => {
    const { sibling } = model
    const provider = providerOf(model.provider)
    if (!sibling) return { ...model, provider }
    return { ...model, provider, sibling: async (name, signal) => modelOf(await sibling(name, signal)) }
  }
  return {
    read: (reference) => resolver.read(reference),
    use: async (choice, signal) => modelOf(await resolver.use(choice, signal)),
    close: () => resolver.close(),
  }
}

function observedProvider(provider: ModelProvider, observer: WorkObserver): ModelProvider {
  const { name, isInterpreter, isTextOnly } = provider
  const models = provider.models?.bind(provider)
  return {
    name,
    ...(isInterpreter && { isInterpreter }),
    ...(isTextOnly && { isTextOnly }),
    stream: (request, signal) => observedStream({ provider, request, observer }, signal),
    ...(models && { models }),
  }
}

interface Call {
  readonly provider: ModelProvider
  readonly request: ModelRequest
  readonly observer: WorkObserver
}

async function* observedStream({ provider, request, observer }: Call, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const call = observer.begin({ kind: 'model-call', provider: provider.name, model: request.model })
  // Holds where whoever asked stops reading.
  let end: WorkEnd = { status: 'cancelled' }
  try {
    for await (const event of provider.stream(request, signal)) {
      if (event.type === 'finish') end = { status: 'ok', ...(event.usage && { usage: event.usage }) }
      yield event
    }
  } catch (error) {
    if (!signal.aborted) end = { status: 'error', isFailure: true, code: failureCode(error) }
    throw error
  } finally {
    call.end(end)
  }
}
