import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { ContextMeter } from './context-meter.ts'
import { estimateMessageTokens, estimateTextTokens, estimateToolTokens } from './token-estimate.ts'

/** Texts with what o200k makes of them. */
const measured: readonly (readonly [name: string, text: string, tokens: number])[] = [
  [
    'prose',
    'The agent reads the file, changes two lines and runs the tests again. When they fail, it looks at the message, finds the missing import and puts it back. Nothing else is touched, and the person is told what was done.',
    48,
  ],
  [
    'TypeScript',
    "export async function* lines(path: string): AsyncGenerator<string> {\n  const handle = await open(path, 'r')\n  try {\n    for await (const line of handle.readLines()) yield line.trimEnd()\n  } finally {\n    await handle.close()\n  }\n}\n",
    56,
  ],
  [
    'Python',
    "def load(path, *, encoding='utf-8'):\n    with open(path, encoding=encoding) as file:\n        rows = [line.split(',') for line in file if not line.startswith('#')]\n    return {row[0]: float(row[1]) for row in rows}\n",
    58,
  ],
  [
    'JSON',
    '{"total":3,"items":[{"id":"a7f3","size":18234,"mode":420,"tags":["x","y"]},{"id":"b0c9","size":91,"mode":493,"tags":[]}],"next":null,"took_ms":12.75}',
    62,
  ],
  [
    'log',
    '2026-11-29T17:02:11.483Z INFO  [gateway] request GET /api/items/4711 200 12ms ip=10.0.3.17\n2026-11-29T17:02:11.907Z WARN  [worker-3] retry 2/5 after ECONNRESET (10.0.3.21:5432)\n2026-11-29T17:02:11.483Z INFO  [gateway] request GET /api/items/4711 200 12ms ip=10.0.3.17\n2026-11-29T17:02:11.907Z WARN  [worker-3] retry 2/5 after ECONNRESET (10.0.3.21:5432)\n2026-11-29T17:02:11.483Z INFO  [gateway] request GET /api/items/4711 200 12ms ip=10.0.3.17\n2026-11-29T17:02:11.907Z WARN  [worker-3] retry 2/5 after ECONNRESET (10.0.3.21:5432)\n',
    258,
  ],
  [
    'listing',
    'drwxr-xr-x 11 root root  4096 Nov 29 17:44 packages\n-rw-r--r--  1 root root 53434 Nov 29 17:44 package-lock.json\n-rw-r--r--  1 root root  1075 Nov 29 17:44 LICENSE\n',
    72,
  ],
  [
    'diff',
    "--- a/src/turn.ts\n+++ b/src/turn.ts\n@@ -12,7 +12,8 @@ export function turn() {\n-  const a = load('x')\n+  const a = await load('x')\n+  if (!a) return undefined\n",
    57,
  ],
  [
    'German',
    'Nach der Umstellung der Datenbank müssen die Sicherungskopien überprüft werden. Bitte sagen Sie mir sofort Bescheid, falls ein Fehler auftritt.',
    32,
  ],
  [
    'Chinese',
    '重构数据库迁移脚本时，我们发现旧的备份没有恢复成功。请先检查日志文件，然后再部署到测试环境。如果出现错误，请立即告诉我，不要自己重试。',
    42,
  ],
  [
    'Japanese',
    'データベースの移行に失敗しました。バックアップから復元できるかどうか確認してください。エラーが出た場合はすぐに知らせてください。',
    39,
  ],
  [
    'Korean',
    '데이터베이스를 백업한 뒤에 서버를 다시 시작해 주세요. 오류가 나면 바로 알려 주시고 혼자서 다시 시도하지 마세요.',
    36,
  ],
  [
    'Arabic',
    'بعد نقل قاعدة البيانات تحقق من سجل الأخطاء وأخبرني إذا حدث خطأ ما. يتم حفظ الإعدادات في ملف واحد يقرأ كل صباح.',
    31,
  ],
]

for (const [name, text, tokens] of measured) {
  test(`${name}: the estimate is within a quarter of what o200k counts`, () => {
    const estimated = estimateTextTokens(text)
    assert.ok(Math.abs(estimated / tokens - 1) <= 0.25, `${estimated} instead of ${tokens}`)
  })
}

test('a megabyte is estimated in no time, and long runs of one character are not counted as text', () => {
  const from = processorMs()
  assert.ok(estimateTextTokens('='.repeat(1_000_000)) < 50_000)
  assert.equal(estimateTextTokens(''), 0)
  assert.ok(processorMs() - from < 500)
})

test('calls, images and tools count', () => {
  const call = { id: 'a', name: 'read_file', arguments: '{"path":"some/file.txt"}' }
  const plain = estimateMessageTokens({ role: 'assistant', content: 'Yes.', toolCalls: [] })
  assert.ok(estimateMessageTokens({ role: 'assistant', content: 'Yes.', toolCalls: [call] }) > plain + 15)
  const image = { mediaType: 'image/png', data: 'x'.repeat(100_000) }
  const withImage = estimateMessageTokens({ role: 'user', content: 'See.', images: [image] })
  assert.ok(withImage > 1_000 && withImage < 2_000)
  assert.equal(estimateToolTokens([]), 0)
  assert.ok(estimateToolTokens([{ name: 'read_file', description: 'Reads.', parameters: { type: 'object' } }]) > 10)
})

test('what a provider counts corrects the estimate; what cannot be true does not', () => {
  const meter = new ContextMeter()
  const messages = [{ role: 'user', content: 'word '.repeat(2_000) }] as const
  const request = { model: 'm', messages, tools: [] }
  const estimated = meter.request(request)
  const usage = { inputTokens: 0, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
  meter.learn(request, { ...usage, inputTokens: 1_000, cacheReadTokens: 1_500, cacheWriteTokens: 500 })
  assert.ok(Math.abs(meter.request(request) - 3_000) <= 2)
  const longer = { ...request, messages: [...messages, ...messages] }
  assert.ok(Math.abs(meter.request(longer) - 6_000) <= 4)
  meter.learn(request, { ...usage, inputTokens: 3 })
  assert.ok(Math.abs(meter.request(request) - 3_000) <= 2)
  meter.learn({ ...request, model: 'other' }, usage)
  assert.equal(meter.request(request), estimated)
})
