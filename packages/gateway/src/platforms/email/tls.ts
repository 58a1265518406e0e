import { readFile } from 'node:fs/promises'
import type { ConnectionOptions } from 'node:tls'
import { rootCertificates } from 'node:tls'
import { PlatformError } from '../platform-error.ts'
import type { EmailSettings } from './settings.ts'

/** How certificates are looked at. Throws `PlatformError` where the file of an authority cannot be read. */
export async function tlsOptions({ certificates }: Pick<EmailSettings, 'certificates'>): Promise<ConnectionOptions> {
  const { caFile, areChecked } = certificates
  const options = { minVersion: 'TLSv1.2', rejectUnauthorized: areChecked } as const
  if (caFile === undefined) return options
  try {
    return { ...options, ca: [...rootCertificates, await readFile(caFile, 'utf8')] }
  } catch (error) {
    throw new PlatformError('refused', `EMAIL_CA_FILE cannot be read: ${caFile}.`, { cause: error })
  }
}
