import type { Environment } from '../../agent/context.ts'
import type { Logger } from '../../log/logger.ts'
import type { ModelInfo } from '../model.ts'
import type { HttpClient } from '../net/http-client.ts'
import { readText } from '../net/read-text.ts'
import type { ProviderFacts } from '../providers/provider.ts'

/** Where a model server may be on this machine. */
export interface LocalServer {
  /** The provider that it would be. */
  readonly provider: string
  readonly port: number
}

/** One that answered. */
export interface FoundServer extends LocalServer {
  readonly models: readonly ModelInfo[]
}

/** Longest wait for all of them together. */
const probeMs = 300

const maxListingBytes = 1024 * 1024

export interface LocalSearch {
  readonly providers: ReadonlyMap<string, ProviderFacts>
  readonly environment: Environment
  /** Where to look, instead of the places that the environment or the providers name. */
  readonly localServers: readonly LocalServer[] | undefined
  readonly http: HttpClient
  readonly log: Logger
}

/** Finds a model server on this machine when it is first asked for one; what was found then stays. */
export function createLocalSearch(search: LocalSearch): (signal: AbortSignal) => Promise<FoundServer | undefined> {
  const places = search.localServers ?? placesToLook(search.environment, search.providers)
  let answer: { readonly found: FoundServer | undefined } | undefined
  return async (signal) => {
    answer ??= { found: await findLocalServer(places, search, signal) }
    return answer.found
  }
}

/** `HERMES_LOCAL_SERVERS` (`ollama=11434,vllm=8001`; empty or `off`: nowhere), else every provider's usual port. */
function placesToLook(environment: Environment, providers: ReadonlyMap<string, ProviderFacts>): readonly LocalServer[] {
  const setting = environment['HERMES_LOCAL_SERVERS']
  if (setting === undefined) {
    return [...providers.values()].flatMap(({ name, localPort: port }) =>
      port === undefined ? [] : [{ provider: name, port }],
    )
  }
  return setting.split(',').flatMap((entry) => {
    const [provider = '', port] = entry.split('=')
    return Number(port) > 0 ? [{ provider: provider.trim(), port: Number(port) }] : []
  })
}

/** Asks all places at once and returns the first, in their order, that lists models. */
async function findLocalServer(
  places: readonly LocalServer[],
  { http, log }: LocalSearch,
  signal: AbortSignal,
): Promise<FoundServer | undefined> {
  if (places.length === 0) return undefined
  const { parseModels } = await import('../wire/list-models.ts')
  const ask = async (place: LocalServer): Promise<FoundServer | undefined> => {
    const limits = { connectMs: probeMs, silenceMs: probeMs, progressMs: probeMs, totalMs: probeMs }
    const url = `http://127.0.0.1:${place.port}/v1/models`
    try {
      const response = await http.send({ method: 'GET', url, headers: {}, limits }, signal)
      try {
        const models = parseModels(JSON.parse(await readText(response.body, maxListingBytes)))?.filter(canChat)
        return models && models.length > 0 ? { ...place, models } : undefined
      } finally {
        response.release()
      }
    } catch (error) {
      signal.throwIfAborted()
      // Nothing there, or something else than a model server: both are usual.
      log.debug({ ...place, error: String(error) }, 'no local model server')
      return undefined
    }
  }
  return (await Promise.all(places.map(ask))).find((found) => found !== undefined)
}

/** Servers list models for embeddings, speech and ranking beside those that chat. */
export function canChat({ id }: ModelInfo): boolean {
  return !/embed|bge-|rerank|whisper|tts|clip-/i.test(id)
}
