import { foldText } from './fold.ts'
import { type Piece, splitPieces } from './pieces.ts'

/** Pieces that follow each other in the text, with nothing but separators between them. */
export interface Term {
  readonly type: 'term'
  /** Position among the query's terms. */
  readonly index: number
  readonly pieces: readonly Piece[]
  /** The last piece may go on (`deploy*`). A run may always go on. */
  readonly isPrefix: boolean
}

export type QueryNode =
  | Term
  | { readonly type: 'and' | 'or'; readonly nodes: readonly QueryNode[] }
  | { readonly type: 'not'; readonly wanted: QueryNode; readonly unwanted: QueryNode }

export interface SearchQuery {
  readonly root: QueryNode
  readonly terms: readonly Term[]
}

/** Terms beyond this many are ignored: it is a pasted text, not a query. */
const maxTerms = 40

/** Pieces of one term beyond this many are ignored. */
const maxPieces = 60

/** Longest query that is looked at, in UTF-16 units. */
const maxQueryLength = 4000

type Operator = 'AND' | 'OR' | 'NOT'
type Token = { readonly operator: Operator } | { readonly term: Term }

/**
 * Reads what a person typed. Words next to each other must all be there; `"a phrase"` and words joined by other signs
 * (`node-pty`, `a@b.c`) must follow each other; `word*` is a beginning; `AND`, `OR` and `NOT` (in capitals) join these,
 * neighbours binding tightest, then NOT, AND, OR, as in SQLite's full-text queries. Every text is a query; undefined
 * when it holds no letter or digit.
 */
export function parseQuery(text: string): SearchQuery | undefined {
  const tokens = tokenise(text.slice(0, maxQueryLength).toWellFormed())
  const terms = tokens.flatMap((token) => ('term' in token ? [token.term] : []))
  if (terms.length === 0) return undefined
  return { root: parseOr(withoutStrayOperators(tokens)), terms }
}

/** A quoted phrase with an optional `*`, or a word up to white space, a quote or its own `*`. */
const lexeme = /"(?<phrase>[^"]*)"(?<star>\*?)|(?<word>[^\s"*]+)(?<wordStar>\*?)/gu

function tokenise(text: string): Token[] {
  const tokens: Token[] = []
  const words: Token[] = []
  let index = 0
  const add = (source: string, isPrefix: boolean, list: Token[]) => {
    const pieces = splitPieces(foldText(source)).slice(0, maxPieces)
    if (pieces.length === 0 || index >= maxTerms) return
    list.push({ term: { type: 'term', index, pieces, isPrefix } })
    index += 1
  }
  for (const { groups } of text.replace(/[“”„‟«»]/gu, '"').matchAll(lexeme)) {
    const { phrase, star, word, wordStar } = groups ?? {}
    if (phrase !== undefined) add(phrase, star === '*', tokens)
    else if (isOperator(word) && wordStar !== '*') tokens.push({ operator: word })
    else add(word ?? '', wordStar === '*', tokens)
  }
  if (index > 0) return tokens
  // Nothing but operators: then they are the words that are sought.
  for (const token of tokens) if ('operator' in token) add(token.operator, false, words)
  return words
}

function isOperator(word: string | undefined): word is Operator {
  return word === 'AND' || word === 'OR' || word === 'NOT'
}

/** Drops operators that lack a term on either side; of several in a row, the last counts. */
function withoutStrayOperators(tokens: readonly Token[]): Token[] {
  const kept: Token[] = []
  for (const token of tokens) {
    const last = kept.at(-1)
    if ('term' in token) kept.push(token)
    else if (last && 'operator' in last) kept[kept.length - 1] = token
    else if (last) kept.push(token)
  }
  while (kept.length > 0 && 'operator' in kept.at(-1)!) kept.pop()
  return kept
}

function parseOr(tokens: readonly Token[]): QueryNode {
  return join('or', splitAt(tokens, 'OR').map(parseAnd))
}

function parseAnd(tokens: readonly Token[]): QueryNode {
  return join('and', splitAt(tokens, 'AND').map(parseNot))
}

function parseNot(tokens: readonly Token[]): QueryNode {
  const [first, ...rest] = splitAt(tokens, 'NOT').map(parseNeighbours)
  return rest.reduce((wanted, unwanted): QueryNode => ({ type: 'not', wanted, unwanted }), first!)
}

function parseNeighbours(tokens: readonly Token[]): QueryNode {
  return join(
    'and',
    tokens.flatMap((token) => ('term' in token ? [token.term] : [])),
  )
}

function join(type: 'and' | 'or', nodes: readonly QueryNode[]): QueryNode {
  return nodes.length === 1 ? nodes[0]! : { type, nodes }
}

function splitAt(tokens: readonly Token[], operator: Operator): Token[][] {
  const groups: Token[][] = [[]]
  for (const token of tokens) {
    if ('operator' in token && token.operator === operator) groups.push([])
    else groups.at(-1)!.push(token)
  }
  return groups
}
