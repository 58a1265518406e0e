import type { Logger } from '../../log/logger.ts'
import type { KeptAddresses } from '../keys/find-address.ts'
import { fields, text } from '../wire/json-fields.ts'
import { hasKeptCredentials } from './key-sources.ts'
import type { KeySources } from './key-sources.ts'

/** Which addresses took which keys, in `auth.json`: a provider's `detected_endpoint`, where upstream has it too. */
export function keptAddresses(sources: KeySources, log: Logger): KeptAddresses {
  return {
    read: async (provider, keyHash) => {
      if (!hasKeptCredentials(sources)) return undefined
      const document = await (await sources.credentials?.())?.file.read()
      const detected = fields(document?.providers[provider]?.['detected_endpoint'])
      return detected?.['key_hash'] === keyHash ? text(detected['base_url']) : undefined
    },
    write: async (provider, { address, keyHash }) => {
      const pool = await sources.credentials?.()
      const { id, label, baseUrl, model } = address
      const detected = { base_url: baseUrl, endpoint_id: id, model, label, key_hash: keyHash }
      try {
        await pool?.file.update((draft) => {
          draft.providers[provider] = { ...draft.providers[provider], detected_endpoint: detected }
        })
      } catch (error) {
        // It is found again by the next run: no reason for a call to fail.
        log.warn({ provider, error: String(error) }, 'the address of a key could not be kept')
      }
    },
  }
}
