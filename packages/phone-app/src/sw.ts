/// <reference lib="webworker" />
// Keeps the page itself on the phone, so that it opens without a connection; what it shows comes from the gateway.
const worker = globalThis as unknown as ServiceWorkerGlobalScope

const cacheName = 'hermes-app-1'
const shell = ['./', 'app.js', 'style.css', 'icon.svg', 'manifest.webmanifest']

worker.addEventListener('install', (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(shell)))
  void worker.skipWaiting()
})

worker.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name)))),
  )
})

worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { pathname } = new URL(request.url)
  const isShell = request.method === 'GET' && shell.some((name) => pathname.endsWith(`/app/${name.replace('./', '')}`))
  if (!isShell) return
  // The newest where the gateway answers, the kept one where it does not.
  event.respondWith(
    fetch(request)
      .then(async (response) => {
        if (response.ok) await (await caches.open(cacheName)).put(request, response.clone())
        return response
      })
      .catch(async () => (await caches.match(request)) ?? Response.error()),
  )
})
