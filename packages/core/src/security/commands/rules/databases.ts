import { keysOf, type Rule } from './rule.ts'

const sqlClients =
  /^(?:psql|mysql|mariadb|sqlite3?|sqlcmd|duckdb|clickhouse(?:-client)?|cockroach|pgcli|mycli|litecli|usql|isql|sqlplus|bq|snowsql|trino|presto|beeline|hive|spark-sql)$/

export const databases: Rule = (call) => {
  const text = [...call.args.map((arg) => arg.text), call.input.text ?? ''].join('\n')
  if (sqlClients.test(call.name)) return sql(text)
  if (call.name === 'dropdb' || (call.name === 'mysqladmin' && /\bdrop\b/i.test(text))) return ['SQL DROP']
  if (call.name === 'redis-cli' || call.name === 'valkey-cli') {
    return keysOf({ 'database wipe': /\bflush(?:all|db)\b/i.test(text) })
  }
  if (/^mongo(?:sh)?$/.test(call.name)) {
    return keysOf({
      'database wipe': /dropDatabase|\.drop\s*\(|(?:deleteMany|remove)\s*\(\s*(?:\{\s*\})?\s*\)/.test(text),
    })
  }
  return []
}

function sql(text: string): string[] {
  const plain = withoutComments(text)
  const statements = plain.split(';')
  return keysOf({
    'SQL DROP': /\bdrop\s+(?:table|database|schema|user|view|index|owned)\b/i.test(plain),
    'SQL DELETE without WHERE': statements.some((each) => /\bdelete\s+from\b/i.test(each) && !/\bwhere\b/i.test(each)),
    'SQL TRUNCATE': /\btruncate\s+(?:table\s+)?["'`\w]/i.test(plain),
  })
}

function withoutComments(text: string): string {
  const [first = '', ...rest] = text.split('/*')
  const outside = rest.map((part) => (part.includes('*/') ? part.slice(part.indexOf('*/') + 2) : ''))
  return [first, ...outside].join(' ').replace(/--[^\n]*/g, ' ')
}
