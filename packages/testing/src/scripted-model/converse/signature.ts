import type { PlainRequest } from '../wire.ts'

/** The account whose signatures are taken; the secret is what the server is started with as its key. */
export const accessKeyId = 'AKIDSCRIPTEDMODEL'

/** Whether a request is signed with a secret: it is signed once more here, by other code, and must look the same. */
export async function isSigned(
  { method, url, headers, body }: PlainRequest,
  secretAccessKey: string,
  wanted = 'bedrock',
): Promise<boolean> {
  const { authorization, host, 'x-amz-date': datetime } = headers
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=/.exec(
      String(authorization),
    )
  const [, id, region, service, names = ''] = parts ?? []
  if (id !== accessKeyId || service !== wanted || typeof host !== 'string' || typeof datetime !== 'string') return false
  const signed = names.split(';').filter((name) => name !== 'host' && name !== 'x-amz-date')
  if (!['host', 'x-amz-date'].every((name) => names.split(';').includes(name))) return false
  const { AwsV4Signer } = await import('aws4fetch')
  const signer = new AwsV4Signer({
    method,
    url: `http://${host}${url}`,
    headers: signed.map((name): [string, string] => [name, String(headers[name])]),
    body,
    accessKeyId: id,
    secretAccessKey,
    service,
    region,
    datetime,
    allHeaders: true,
  })
  const again = await signer.sign()
  return again.headers.get('authorization') === authorization
}
