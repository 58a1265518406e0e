import type { QueryNode, Term } from './parse-query.ts'
import { longestWord, runPairs, wordToken } from './pieces.ts'

/**
 * The FTS5 expression over the index's tokens that matches every message the query matches, and perhaps some more: the
 * index knows which tokens a message has, not where. Tokens hold letters and digits alone, so quoting is safe.
 */
export function candidateExpression(node: QueryNode): string {
  switch (node.type) {
    case 'term':
      return termExpression(node)
    case 'and':
      return node.nodes.map((child) => `(${candidateExpression(child)})`).join(' AND ')
    case 'or':
      return node.nodes.map((child) => `(${candidateExpression(child)})`).join(' OR ')
    default: {
      const wanted = candidateExpression(node.wanted)
      // Only what the index knows for certain may be left out there.
      return isExact(node.unwanted) ? `(${wanted}) NOT (${candidateExpression(node.unwanted)})` : wanted
    }
  }
}

function termExpression({ pieces, isPrefix }: Term): string {
  const tokens = pieces.flatMap((piece, i) => {
    if (piece.kind === 'run') return runTokens(piece.text)
    const isOpen = isPrefix && i === pieces.length - 1 && piece.text.length < longestWord
    return [quoted(wordToken(piece.text)) + (isOpen ? ' *' : '')]
  })
  return [...new Set(tokens)].join(' AND ')
}

function runTokens(run: string): string[] {
  const pairs = runPairs(run)
  return pairs.length > 0 ? pairs.map(quoted) : [`${quoted(run)} *`]
}

function quoted(token: string): string {
  return `"${token}"`
}

/** Whether the index alone decides the node: one token, kept whole. */
function isExact(node: QueryNode): boolean {
  if (node.type !== 'term') return node.type !== 'not' && node.nodes.every(isExact)
  const [piece, ...others] = node.pieces
  if (!piece || others.length > 0) return false
  return piece.kind === 'run' ? runPairs(piece.text).length <= 1 : piece.text.length < longestWord
}
