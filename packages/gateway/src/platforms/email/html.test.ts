import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toHtml } from './html.ts'

test('what is written in lines is shown in lines', async () => {
  assert.equal(await toHtml('/new: anew\n/stop: no more'), '<p>/new: anew<br>/stop: no more</p>\n')
})

test('nothing in it is loaded or run', async () => {
  const html = await toHtml('See <script>x</script> ![pixel](https://a.example/p.png) [x](javascript:alert)')
  assert.doesNotMatch(html ?? '', /<script|<img|javascript:/)
})
