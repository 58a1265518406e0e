import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServiceFault } from '../memory/memory-provider.contract.ts'
import type { WebProvider } from './web-provider.ts'

/** A service that searches, with its stand-in, which knows `pages`. */
export interface WebProviderBed extends AsyncDisposable {
  readonly provider: WebProvider
  /** With a key that the service does not know; absent where it takes none. */
  readonly stranger?: WebProvider
  readonly misbehave: (fault: ServiceFault) => void
}

/** What the stand-in of a bed has to know. */
export const pages = [
  { url: 'https://zoo.example/elephants', title: 'Elephants', text: "Elephants & their hay: the keeper's notes." },
  { url: 'https://zoo.example/tuffi', title: 'Tuffi', text: 'One of the elephants is called Tuffi.' },
  { url: 'https://zoo.example/gone', title: 'Gone', text: '', status: 404 },
  { url: 'https://zoo.example/moved', title: 'Moved', text: 'Here now.', from: 'https://zoo.example/new' },
] as const

/** The key of `stranger`. */
export const strangersKey = 'a-key-of-somebody-else'

const never = new AbortController().signal

export interface WebProviderContract {
  /** It reads pages. */
  readonly reads: boolean
  readonly takesKey: boolean
  /** It says where a page was found after redirects. */
  readonly tellsRedirects?: boolean
}

/** What every service does, and how it fails. */
export function webProviderContract(
  name: string,
  open: () => Promise<WebProviderBed>,
  { reads, takesKey, tellsRedirects = false }: WebProviderContract,
): void {
  test(`${name} finds pages, the best one first, as many as are wanted`, async () => {
    await using bed = await open()
    const hits = await bed.provider.search({ text: "elephants' hay", limit: 5 }, never)
    assert.deepEqual(hits, [
      { url: pages[0].url, title: 'Elephants', description: "Elephants & their hay: the keeper's notes." },
      { url: pages[1].url, title: 'Tuffi', description: 'One of the elephants is called Tuffi.' },
    ])
    assert.equal((await bed.provider.search({ text: 'elephants hay', limit: 1 }, never)).length, 1)
    assert.deepEqual(await bed.provider.search({ text: 'quasar', limit: 5 }, never), [])
  })

  test(`${name} reads pages, and tells of each that cannot be had`, { skip: !reads }, async () => {
    await using bed = await open()
    assert.ok(bed.provider.read)
    const urls = [pages[0].url, pages[2].url, 'https://zoo.example/unknown', pages[3].url]
    const answers = await bed.provider.read(urls, never)
    assert.deepEqual(
      answers.map(({ url, type }) => [url, type]),
      urls.map((url, at) => [url, at === 0 || at === 3 ? 'page' : 'failed']),
    )
    const [first, gone, , moved] = answers
    assert.ok(first?.type === 'page' && gone?.type === 'failed' && moved?.type === 'page')
    assert.deepEqual([first.title, first.text, first.from], ['Elephants', pages[0].text, pages[0].url])
    assert.notEqual(gone.reason, '')
    assert.equal(moved.from, tellsRedirects ? pages[3].from : pages[3].url)
  })

  test(`${name} tells a wrong key, and not what it is`, { skip: !takesKey }, async () => {
    await using bed = await open()
    assert.ok(bed.stranger)
    await assert.rejects(bed.stranger.search({ text: 'elephants', limit: 5 }, never), (error: Error) => {
      assert.ok('code' in error && ['auth', 'refused'].includes(String(error.code)), String(error))
      assert.ok(!error.message.includes(strangersKey))
      return true
    })
  })

  const faults: readonly (readonly [fault: ServiceFault, code: string, status: number | undefined])[] = [
    [{ type: 'status', status: 429 }, 'rate-limited', 429],
    [{ type: 'status', status: 500 }, 'unreachable', 500],
    [{ type: 'drop' }, 'unreachable', undefined],
    [{ type: 'garbage' }, 'malformed', undefined],
  ]
  for (const [fault, code, status] of faults) {
    test(`${name} tells what is wrong: ${fault.type} ${status ?? ''}`, async () => {
      await using bed = await open()
      bed.misbehave(fault)
      await assert.rejects(bed.provider.search({ text: 'elephants', limit: 5 }, never), { code, status })
    })
  }

  test(`${name} is cancelled at once`, async () => {
    await using bed = await open()
    bed.misbehave({ type: 'hang' })
    const abort = new AbortController()
    const reason = new Error('stopped')
    const searching = bed.provider.search({ text: 'elephants', limit: 5 }, abort.signal)
    setImmediate(() => abort.abort(reason))
    await assert.rejects(searching, reason)
  })
}
