import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserBed, noChromium, processesIn, refOf, startSite } from '@hermes/testing/browser-services/browser-bed.ts'
import { browserBack } from './back.ts'
import { browserClick } from './click.ts'
import { browserConsole } from './console.ts'
import { browserGetImages } from './get-images.ts'
import { browserNavigate } from './navigate.ts'
import { browserPress } from './press.ts'
import { browserScroll } from './scroll.ts'
import { browserSnapshot } from './snapshot.ts'
import { browserType } from './type.ts'

test('a person logs in: the form is filled by its refs and sent', { skip: noChromium }, async () => {
  await using site = await startSite({
    '/': `<title>Sign in</title><h1>Welcome</h1>
      <form method="post" action="/in"><label>Name <input name="name" value="old"></label>
      <label>Password <input type="password" name="password"></label>
      <label>Country <select name="country"><option>Chile</option><option value="no">Norway</option></select></label>
      <label><input type="checkbox" name="stay"> Stay</label><button>Sign in</button></form>`,
    '/in': (_, response, body) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>In</title><p>You sent ${body}</p>`),
  })
  await using bed = await browserBed()
  const page = await bed.run(browserNavigate, { url: site.url })
  assert.equal(page.success, true, page.error)
  assert.equal(page.title, 'Sign in')
  const { snapshot } = page
  assert.equal((await bed.run(browserType, { ref: refOf(snapshot, 'Name'), text: 'Ann Ø' })).typed, 'Ann Ø')
  assert.equal((await bed.run(browserType, { ref: refOf(snapshot, 'Password'), text: 'pass word' })).typed, '••••')
  assert.equal((await bed.run(browserType, { ref: refOf(snapshot, 'Country'), text: 'Norway' })).success, true)
  assert.equal((await bed.run(browserClick, { ref: refOf(snapshot, 'Stay') })).success, true)
  const clicked = await bed.run(browserClick, { ref: refOf(snapshot, 'button', 'Sign in').slice(1) })
  assert.equal(clicked.url, `${site.url}/in`, clicked.error)
  const after = await bed.run(browserSnapshot, {})
  assert.match(after.snapshot, /You sent name=Ann\+%C3%98&password=«secret:\w+»&country=no&stay=on/)
  await bed.session.browser.close()
  assert.deepEqual(processesIn(bed.agent.home.dir), [])
})

test('what is in frames of any site and in shadow trees is seen and used', { skip: noChromium }, async () => {
  await using site = await startSite({
    '/': (request, response) => {
      const other = `http://localhost:${new URL(`http://${request.headers.host}`).port}`
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<div style="height:1500px">far up</div>
        <iframe src="/inner?same" style="margin:30px;border:5px solid;padding:7px" width="400" height="200"></iframe>
        <iframe src="${other}/inner?other" width="400" height="200" style="margin-left:50px"></iframe>
        <my-part></my-part><script>
        const root = document.querySelector('my-part').attachShadow({ mode: 'open' })
        root.innerHTML = '<button>In the shade</button>'
        root.firstChild.onclick = () => { root.firstChild.textContent = 'Shade was clicked' }</script>`)
    },
    '/inner': `<body><div style="height:600px">inside</div><button>Press</button><input aria-label="Word">
      <script>document.querySelector('button').textContent += location.search
      document.querySelector('button').onclick = (event) => event.target.textContent = 'Done' + location.search</script>`,
  })
  await using bed = await browserBed()
  const { snapshot } = await bed.run(browserNavigate, { url: site.url })
  for (const [before, after] of [
    ['Press?same', 'Done?same'],
    ['Press?other', 'Done?other'],
    ['In the shade', 'Shade was clicked'],
  ] as const) {
    const clicked = await bed.run(browserClick, { ref: refOf(snapshot, before) })
    assert.equal(clicked.success, true, clicked.error)
    assert.match((await bed.run(browserSnapshot, {})).snapshot, new RegExp(after.replace('?', '\\?')))
  }
  for (const ref of snapshot.match(/textbox "Word" (@e\d+)/g) ?? []) {
    const typed = await bed.run(browserType, { ref: ref.split(' ').at(-1), text: `typed ${ref.at(-1)}` })
    assert.equal(typed.success, true, typed.error)
    assert.equal((await bed.run(browserPress, { key: 'x' })).success, true)
    assert.match((await bed.run(browserSnapshot, {})).snapshot, new RegExp(`value="typed ${ref.at(-1)}x"`))
  }
})

test('a click waits for what covers an element, and says what it is', { skip: noChromium }, async () => {
  await using site = await startSite({
    '/': `<button id="b" onclick="document.title = 'clicked'">Buy</button>
      <div id="cover" style="position:fixed;inset:0;background:#eee"><p>Cookies?</p><button onclick="cover.remove()">Accept</button></div>
      <div onclick="document.title = 'div'" id="plain">A plain thing</div><button disabled>Off</button>`,
  })
  await using bed = await browserBed()
  const { snapshot } = await bed.run(browserNavigate, { url: site.url })
  const covered = await bed.run(browserClick, { ref: refOf(snapshot, 'Buy') })
  assert.equal(covered.success, false)
  assert.match(covered.error, /covered by <p> "Cookies\?"/)
  await bed.run(browserClick, { ref: refOf(snapshot, 'Accept') })
  assert.equal((await bed.run(browserClick, { ref: refOf(snapshot, 'Buy') })).title, 'clicked')
  assert.equal((await bed.run(browserClick, { ref: refOf(snapshot, 'clickable', 'A plain thing') })).title, 'div')
  assert.match((await bed.run(browserClick, { ref: refOf(snapshot, 'Off') })).error, /is disabled/)
  assert.match((await bed.run(browserClick, { ref: refOf(snapshot, 'Accept') })).error, /no longer on the page/)
  await bed.run(browserNavigate, { url: site.url })
  assert.match((await bed.run(browserClick, { ref: refOf(snapshot, 'Buy') })).error, /call browser_snapshot/)
})

test('a program in the page is waited for; history, scrolling and keys work', { skip: noChromium }, async () => {
  await using site = await startSite({
    '/': `<title>App</title><main id="app">Loading</main><script>
      const show = (text) => { app.innerHTML = '<h1>' + text + '</h1><input aria-label="Search"><div style="height:3000px"></div><a href="/other">Other</a>' }
      fetch('/data').then((answer) => answer.text()).then((text) => {
        show(text)
        document.querySelector('input').onkeydown = (event) => {
          if (event.key === 'Enter') fetch('/data').then(() => { history.pushState({}, '', '/found'); show('Found ' + event.target.value) })
        }
      })</script>`,
    '/data': (_, response) => void setTimeout(() => response.end('Ready'), 200),
    '/other': '<title>Other</title>',
  })
  await using bed = await browserBed()
  const { snapshot } = await bed.run(browserNavigate, { url: site.url })
  assert.match(snapshot, /heading "Ready"/)
  const ref = refOf(snapshot, 'Search')
  await bed.run(browserType, { ref, text: 'first' })
  await bed.run(browserType, { ref, text: 'cats' })
  assert.equal((await bed.run(browserPress, { key: 'Enter' })).url, `${site.url}/found`)
  const found = await bed.run(browserSnapshot, {})
  assert.match(found.snapshot, /heading "Found cats"/)
  assert.match((await bed.run(browserPress, { key: 'Hyper+Q' })).error, /is no key/)
  const { position } = await bed.run(browserScroll, { direction: 'down' })
  assert.match(position, /^[1-9]\d?%$/)
  assert.equal((await bed.run(browserClick, { ref: refOf(found.snapshot, 'Other') })).title, 'Other')
  assert.equal((await bed.run(browserBack, {})).url, `${site.url}/found`)
})

test('console, errors, expressions and images are told', { skip: noChromium }, async () => {
  await using site = await startSite({
    '/': `<img src="/cat.svg" alt="A cat"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
      <script>console.log('hello', { a: 1 }); console.warn('careful'); setTimeout(() => { throw new Error('broken') })</script>`,
    '/cat.svg': (_, response) =>
      response
        .writeHead(200, { 'content-type': 'image/svg+xml' })
        .end('<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>'),
  })
  await using bed = await browserBed()
  assert.match((await bed.run(browserConsole, {})).error, /call browser_navigate first/)
  await bed.run(browserNavigate, { url: site.url })
  const said = await bed.run(browserConsole, { clear: true })
  assert.deepEqual(
    said.console_messages.slice(0, 2).map(({ type, text }: { type: string; text: string }) => `${type} ${text}`),
    ['log hello Object', 'warning careful'],
  )
  assert.match(said.js_errors[0].message, /Error: broken/)
  assert.equal((await bed.run(browserConsole, {})).total_messages, 0)
  const sum = await bed.run(browserConsole, { expression: 'await Promise.resolve({ sum: 1 + 2 })' })
  assert.deepEqual([sum.result, sum.result_type], [{ sum: 3 }, 'object'])
  for (const expression of ['Promise.resolve({ sum: 1 + 2 })', '(async () => ({ sum: 3 }))()']) {
    assert.deepEqual((await bed.run(browserConsole, { expression })).result, { sum: 3 }, expression)
  }
  const rejected = await bed.run(browserConsole, { expression: "Promise.reject(new TypeError('no'))" })
  assert.match(rejected.error, /TypeError: no/)
  assert.deepEqual((await bed.run(browserConsole, { expression: '[1, [2]]' })).result, [1, [2]])
  assert.equal((await bed.run(browserConsole, { expression: 'document.body' })).result, 'body')
  assert.match((await bed.run(browserConsole, { expression: 'nothing.here' })).error, /ReferenceError/)
  const { images, count } = await bed.run(browserGetImages, {})
  assert.equal(count, 1)
  assert.deepEqual(images[0], { src: `${site.url}/cat.svg`, alt: 'A cat', width: 30, height: 20 })
})

test('a long page is cut with a way to the rest; the whole can be had', { skip: noChromium }, async () => {
  const rows = Array.from({ length: 400 }, (_, n) => `<a href="/${n}">Link number ${n}</a><p>Paragraph of ${n}</p>`)
  await using site = await startSite({ '/': rows.join('') })
  await using bed = await browserBed()
  const { snapshot, element_count } = await bed.run(browserNavigate, { url: site.url })
  assert.ok(snapshot.length < 8_200)
  assert.equal(element_count, 400)
  assert.match(snapshot, /more lines: browser_snapshot with full=true/)
  assert.match((await bed.run(browserSnapshot, {})).snapshot, /more lines/)
  assert.match((await bed.run(browserSnapshot, { full: true })).snapshot, /Paragraph of 399/)
})
