import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeText } from './decode-text.ts'
import { readablePage } from './readable-page.ts'

const filler = 'Herons stand in shallow water and wait, which is most of what they do all day long. '.repeat(8)

const page = `<!doctype html><html><head><title>Herons &amp; friends</title><style>p{}</style></head><body>
<nav><a href="/menu">Menu</a></nav>
<!-- a comment -->
<article><h1>Herons</h1><p>${filler}</p><p>See <a href="../more?x=1">more</a> and <a href="javascript:x()">this</a>.</p>
<pre><code class="language-js">const a = 1 &lt; 2</code></pre>
<table><thead><tr><th>Bird</th><th>Legs</th></tr></thead><tbody><tr><td>Heron</td><td>2</td></tr></tbody></table>
<p><img src="/heron.png" alt="A heron"><img src="data:image/png;base64,AAAA" alt="inline"></p>
<ul><li>one</li><li>two</li></ul>
<p style="display:none">hidden one</p><p style="color:#fff; background:white">hidden two</p><p hidden>hidden three</p>
<p style="font-size:0">hidden four</p><span style="position:absolute;left:-9999px">hidden five</span>
<p style="opacity: 0">hidden six</p><p style="opacity: 0.9; font-size: 10px">shown too</p><p>${filler}</p></article>
<script>alert(1)</script></body></html>`

test('a page becomes Markdown with its title, links that are whole, code and tables', async () => {
  const { title, markdown } = await readablePage(page, 'https://birds.test/a/b')
  assert.equal(title, 'Herons & friends')
  assert.match(markdown, /\[more\]\(https:\/\/birds\.test\/more\?x=1\)/)
  assert.match(markdown, /const a = 1 < 2/)
  assert.match(markdown, /\| Bird \| Legs \|\n\| --- \| --- \|\n\| Heron \| 2 \|/)
  assert.match(markdown, /!\[A heron\]\(https:\/\/birds\.test\/heron\.png\)/)
  assert.match(markdown, /- {1,3}one/)
  assert.match(markdown, /shown too/)
})

test('what people do not see is left out', async () => {
  const { markdown } = await readablePage(page, 'https://birds.test/a/b')
  assert.doesNotMatch(markdown, /hidden|comment|alert|base64|javascript|\bp\{\}/)
})

test('a page without a main part is taken whole', async () => {
  const { markdown } = await readablePage('<p>Just <b>this</b>.</p>', 'https://birds.test/')
  assert.equal(markdown, 'Just **this**.')
  assert.equal((await readablePage('', 'https://birds.test/')).markdown, '')
})

test('pages that are very deep, large or broken are read in bounded time', async () => {
  const before = process.threadCpuUsage()
  for (const html of [
    '<div>'.repeat(100_000),
    '<'.repeat(100_000),
    '<a href="'.repeat(20_000),
    '</p>'.repeat(20_000),
  ]) {
    await readablePage(`${html}end`, 'https://birds.test/')
  }
  const deep = await readablePage(`${'<div>'.repeat(3_000)}found${'</div>'.repeat(3_000)}`, 'https://birds.test/')
  assert.equal(deep.markdown, 'found')
  assert.ok(process.threadCpuUsage(before).user < 8_000_000)
})

test('text is read in the encoding that it names', () => {
  const latin = Buffer.from('<meta charset="iso-8859-1">caf\xe9', 'latin1')
  assert.match(decodeText(latin, 'text/html'), /café/)
  assert.match(decodeText(Buffer.from('caf\xe9', 'latin1'), 'text/plain; charset=ISO-8859-1'), /café/)
  assert.equal(decodeText(Buffer.from('\uFEFFcafé', 'utf16le'), 'text/plain'), 'café')
  assert.equal(decodeText(Buffer.from('café'), 'text/plain; charset=unheard-of'), 'café')
  assert.equal(decodeText(Buffer.from('ハロー'), ''), 'ハロー')
})
