import { createHash, createHmac } from 'node:crypto'

/** The keys of an AWS account. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface SigningRequest {
  readonly method: string
  readonly url: string
  /** Those that are signed with the request. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface Signing {
  readonly credentials: AwsCredentials
  readonly region: string
  readonly service: string
  /** Ms since the epoch. */
  readonly nowMs: number
}

/**
 * The headers that sign a request by Signature Version 4
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html).
 */
export function signatureHeaders(request: SigningRequest, signing: Signing): Record<string, string> {
  const { credentials, region, service, nowMs } = signing
  const url = new URL(request.url)
  const time = new Date(nowMs).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const added = {
    'x-amz-date': time,
    ...(credentials.sessionToken !== undefined && { 'x-amz-security-token': credentials.sessionToken }),
  }
  const signed = Object.entries({ ...request.headers, ...added, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/ +/g, ' ')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const names = signed.map(([name]) => name).join(';')
  const canonical = [
    request.method,
    // What the path has encoded is encoded once more.
    url.pathname.split('/').map(encoded).join('/'),
    query(url),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    digest(request.body ?? ''),
  ].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, digest(canonical)].join('\n')
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(mac, `AWS4${credentials.secretAccessKey}`)
  const signature = Buffer.from(mac(key, text)).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return { ...added, authorization }
}

function query(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&')
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

function mac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function digest(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
