import type { MemoryProviderStart } from '../../memory-provider.ts'

export const openVikingUrl = 'http://127.0.0.1:1933'

export interface OpenVikingSettings {
  /** Undefined where no server is set. */
  readonly endpoint: string | undefined
  readonly apiKey: string | undefined
  /** Whose memory it is. With a key the server knows; without one it has to be told. */
  readonly tenant: Readonly<Record<string, string>>
}

/** Settings of OpenViking, from the environment. */
export function openVikingSettings({ environment }: Pick<MemoryProviderStart, 'environment'>): OpenVikingSettings {
  const set = (name: string) => environment[name]?.trim() || undefined
  const apiKey = set('OPENVIKING_API_KEY')
  const account = set('OPENVIKING_ACCOUNT') ?? (apiKey === undefined ? 'root' : undefined)
  const user = set('OPENVIKING_USER') ?? (apiKey === undefined ? 'default' : undefined)
  return {
    endpoint: set('OPENVIKING_ENDPOINT'),
    apiKey,
    tenant: {
      ...(account !== undefined && { 'x-openviking-account': account }),
      ...(user !== undefined && { 'x-openviking-user': user }),
    },
  }
}
