// Stands in for node-llama-cpp. A letter is a token; so is a mark such as `<|im_end|>` where marks are read.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setImmediate as nextTick } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const marks = ['<|im_start|>', '<|im_end|>']
const firstMark = 2_000_000
const acts = fileURLToPath(new URL('../../acts.jsonl', import.meta.url))

function note(act, detail) {
  appendFileSync(acts, `${JSON.stringify({ act, detail })}\n`)
}

export async function getLlama() {
  const models = []
  return {
    gpu: false,
    loadModel: async ({ modelPath, loadSignal }) => {
      await nextTick()
      loadSignal?.throwIfAborted()
      if (modelPath.includes('huge')) {
        throw Object.assign(new Error('the model is too large'), { name: 'InsufficientMemoryError' })
      }
      note('load', modelPath)
      models.push(modelPath)
      return createModel(modelPath)
    },
    createGrammar: async ({ grammar }) => {
      note('grammar', grammar)
      return { grammar }
    },
    dispose: async () => {
      for (const path of models.splice(0)) note('free', path)
    },
  }
}

/** Made with `new`, as the real one is. */
export function LlamaGrammarEvaluationState({ grammar }) {
  return { grammar }
}

function createModel(path) {
  const template = existsSync(`${path}.template`) ? readFileSync(`${path}.template`, 'utf8') : undefined
  return {
    fileInfo: { metadata: { tokenizer: { chat_template: template } } },
    tokens: { bos: null, bosString: null, eosString: null, shouldPrependBosToken: false },
    tokenize: (text, special) => tokenize(text, special),
    detokenize: (tokens) => detokenize(tokens),
    createContext: async ({ contextSize }) => ({ contextSize, getSequence: () => createSequence() }),
  }
}

function tokenize(text, special) {
  if (!special) return Array.from(text, (letter) => letter.codePointAt(0))
  return text.split(/(<\|\w+\|>)/).flatMap((part) => {
    const at = marks.indexOf(part)
    return at < 0 ? tokenize(part, false) : [firstMark + at]
  })
}

function detokenize(tokens) {
  return tokens.map((token) => marks[token - firstMark] ?? String.fromCodePoint(token)).join('')
}

function createSequence() {
  let kept = []
  const read = async (tokens) => {
    note('read', tokens.length)
    await nextTick()
    kept = [...kept, ...tokens]
  }
  return {
    get nextTokenIndex() {
      return kept.length
    },
    compareContextTokens: (tokens) => ({ firstDifferentIndex: sharedLength(kept, tokens) }),
    adaptStateToTokens: async (tokens) => {
      kept = kept.slice(0, sharedLength(kept, tokens))
    },
    evaluateWithoutGeneratingNewTokens: read,
    async *evaluate(tokens, { grammarEvaluationState: grammar }) {
      await read(tokens)
      for (const token of answerTo(kept)) {
        await nextTick()
        if (grammar?.() !== undefined) note('held', detokenize([token]))
        yield token
        kept = [...kept, token]
      }
    },
  }
}

function sharedLength(a, b) {
  const at = a.findIndex((token, index) => token !== b[index])
  return at < 0 ? a.length : at
}

/** Only tokens that are marks part the messages: letters that look like one are text. */
function messagesIn(tokens) {
  const messages = []
  for (const token of tokens) {
    if (token >= firstMark) messages.push([])
    else messages.at(-1)?.push(token)
  }
  return messages.map(detokenize)
}

function* answerTo(tokens) {
  const said = messagesIn(tokens).findLast((text) => text.startsWith('user\n')) ?? ''
  if (said.includes('fail')) throw new Error('the device was lost')
  while (said.endsWith('endless')) yield 'a'.codePointAt(0)
  const asked = /say: ([^]*)$/.exec(said)?.[1]
  yield* tokenize(asked ?? `You said: ${said.slice('user\n'.length)}`, false)
}
