import type { MemoryProvider, MemoryProviderKind, MemoryProviderStart } from './memory-provider.ts'

/** A memory for tests: what happens to it is in `calls`, and what it does can be replaced. */
export interface TestProvider {
  readonly kind: MemoryProviderKind
  /** e.g. `recall What is my name?`, in order. */
  readonly calls: readonly string[]
  readonly starts: readonly MemoryProviderStart[]
}

export function testProvider(own: Partial<MemoryProvider> = {}, available: true | string = true): TestProvider {
  const calls: string[] = []
  const starts: MemoryProviderStart[] = []
  const note = (...words: readonly string[]) => void calls.push(words.join(' '))
  const kind: MemoryProviderKind = {
    name: 'test',
    summary: 'A memory for tests',
    fields: [],
    available: async () => available,
    async open(start) {
      starts.push(start)
      return {
        name: 'test',
        tools: [
          {
            name: 'test_lookup',
            description: 'Looks something up.',
            parameters: { type: 'object', properties: { query: { type: 'string' } } },
            concurrency: 'parallel',
            run: async (args) => JSON.stringify({ found: args }),
          },
        ],
        promptBlock: () => '# Test memory\n\nLook things up with test_lookup.',
        async recall(query) {
          note('recall', query)
          return `- What is known about: ${query}`
        },
        keepTurn: async ({ user, assistant }) => note('turn', user, '/', assistant),
        keepNote: async ({ action, target, content }) => note('note', action, target, content),
        keepDelegation: async ({ task }) => note('delegation', task),
        keepSession: async (messages) => note('session', String(messages.length)),
        async beforeCompression(messages) {
          note('compression', String(messages.length))
          return '- The code of the vault is K-77.'
        },
        close: async () => note('close'),
        ...own,
      }
    },
  }
  return { kind, calls, starts }
}
