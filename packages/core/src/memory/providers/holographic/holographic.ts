import { openDatabase } from '../../../storage/database.ts'
import { DatabaseError } from '../../../storage/database-error.ts'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import type { MemoryProvider, MemoryProviderKind, MemoryProviderStart } from '../../memory-provider.ts'
import { createFactSearch } from './fact-search.ts'
import { createFactStore } from './fact-store.ts'
import { factsInConversation } from './facts-in-conversation.ts'
import { createPhaseSpace } from './phases.ts'
import { prepareFacts } from './schema.ts'
import { factSettings } from './settings.ts'
import { factTools } from './tools.ts'

/** Facts that are recalled for one message. */
const recalledFacts = 5

/** A memory on this machine that needs nothing: facts in SQLite, found by words, entities and likeness. */
export const holographic: MemoryProviderKind = {
  name: 'holographic',
  summary: 'Facts in a file on this machine, with trust scores and search; needs nothing',
  configPath: ['plugins', 'hermes-memory-store'],
  fields: [
    { key: 'db_path', description: 'File of the facts', default: '$HERMES_HOME/memory_store.db' },
    {
      key: 'auto_extract',
      description: 'Look for facts in what was said when a session ends',
      default: 'false',
      choices: ['true', 'false'],
    },
    { key: 'default_trust', description: 'Trust of new facts, from 0 to 1', default: '0.5' },
    { key: 'hrr_dim', description: 'Length of the vectors', default: '1024' },
  ],
  async available({ home, settings, environment }) {
    try {
      factSettings(settings, home, environment['HOME'])
      return true
    } catch (error) {
      if (error instanceof MemoryProviderError) return error.message
      throw error
    }
  },
  open,
  async check(start) {
    const { facts, path, close } = await openFacts(start)
    try {
      return `${await facts.count()} facts in ${path}`
    } finally {
      close()
    }
  },
}

async function openFacts({ settings, home, environment }: MemoryProviderStart) {
  const own = factSettings(settings, home, environment['HOME'])
  const space = createPhaseSpace(own.dim)
  return orProviderError(async () => {
    const db = await openDatabase(own.path)
    try {
      await prepareFacts(db)
    } catch (error) {
      db.close()
      throw error
    }
    const facts = createFactStore({ db, space, defaultTrust: own.defaultTrust })
    return { ...own, space, facts, close: () => db.close() }
  })
}

async function open(start: MemoryProviderStart): Promise<MemoryProvider> {
  const { facts, space, minTrust, halfLifeDays, findsFacts, close } = await openFacts(start)
  const search = createFactSearch({ facts, space, clock: start.clock, halfLifeDays })
  const count = await orProviderError(() => facts.count())
  const tools = factTools({ facts, search, minTrust }).map((tool) => ({
    ...tool,
    run: (args: unknown, signal: AbortSignal) => orProviderError(() => tool.run(args, signal)),
  }))
  return {
    name: 'holographic',
    tools,
    promptBlock: () => promptText(count),
    async recall(query, signal) {
      signal.throwIfAborted()
      const found = await orProviderError(() => search.search(query, { minTrust, limit: recalledFacts }))
      return found.map((fact) => `- [trust ${fact.trust_score.toFixed(1)}] ${fact.content}`).join('\n')
    },
    async keepNote({ target, content }) {
      await orProviderError(() => facts.add(content, target === 'user' ? 'user_pref' : 'general', ''))
    },
    async keepSession(messages, signal) {
      if (!findsFacts) return
      for (const { content, category } of factsInConversation(messages)) {
        signal.throwIfAborted()
        await orProviderError(() => facts.add(content, category, 'auto'))
      }
    },
    async close() {
      close()
    },
  }
}

function promptText(count: number): string {
  const state = count === 0 ? 'No facts are kept yet' : `${count} ${count === 1 ? 'fact is' : 'facts are'} kept`
  return `# Fact store\n\n${state} with \`fact_store\`. Keep there what the user would expect you to remember in detail: people, projects, decisions, preferences; ask it before you say that you do not know. Rate the facts that you used with \`fact_feedback\`.`
}

/** What people can do something about, in the words of providers. */
async function orProviderError<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    throw new MemoryProviderError('unreachable', error.message, { cause: error })
  }
}
