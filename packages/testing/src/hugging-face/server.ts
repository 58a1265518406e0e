import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A stand-in of Hugging Face that serves one file. */
export interface HuggingFace extends AsyncDisposable {
  /** For `HF_ENDPOINT`. */
  readonly url: string
  /** The part that each request for the bytes asked for, and who asked. */
  readonly requests: readonly { readonly range: string; readonly authorization: string | undefined }[]
}

export interface HuggingFaceOptions {
  /** `OWNER/REPOSITORY/FILE`. */
  readonly file: string
  readonly bytes: Buffer
  /** Told in place of the right checksum. */
  readonly sha256?: string
  /** The connection breaks after so many bytes of each answer. */
  readonly breaksAfter?: number
  /** An answer stops coming after so many bytes, and does not end. */
  readonly hangsAfter?: number
  /** Answers with all of it, whatever part is asked for. */
  readonly ignoresRanges?: boolean
}

/**
 * Starts it. As the real one does, it tells of the file (`x-linked-size`, `x-linked-etag`) and leads to where the bytes
 * are. See https://huggingface.co/docs/huggingface_hub/package_reference/file_download
 */
export async function startHuggingFace(options: HuggingFaceOptions): Promise<HuggingFace> {
  const { file, bytes, sha256 = createHash('sha256').update(bytes).digest('hex') } = options
  const [owner, repository, ...rest] = file.split('/')
  const page = `/${owner}/${repository}/resolve/main/${rest.join('/')}`
  const requests: { range: string; authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    if (request.url === page) {
      const linked = { 'x-linked-size': String(bytes.length), 'x-linked-etag': `"${sha256}"` }
      response.writeHead(302, { ...linked, location: '/bytes' }).end()
    } else if (request.url === '/bytes') serve(request, response)
    else response.writeHead(404).end()
  })
  const serve = ({ headers }: IncomingMessage, response: ServerResponse): void => {
    const { range = '', authorization } = headers
    requests.push({ range, authorization })
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? []
    const start = options.ignoresRanges ? 0 : Number(from)
    const end = to === '' || options.ignoresRanges ? bytes.length : Number(to) + 1
    const part = bytes.subarray(start, end)
    response.writeHead(options.ignoresRanges ? 200 : 206, {
      'content-length': String(part.length),
      ...(!options.ignoresRanges && { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` }),
    })
    const { breaksAfter, hangsAfter } = options
    const limit = breaksAfter ?? hangsAfter
    if (limit === undefined || part.length <= limit) response.end(part)
    else response.write(part.subarray(0, limit), () => breaksAfter !== undefined && response.destroy())
  }
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
